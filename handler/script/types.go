package script

import _ "embed" // for the types

//go:embed types/hookway.d.ts
var types string

// Types declares, for TypeScript, the modules that are built in and what is in
// the global scope.
func Types() string { return types }
