// Package bundle makes one text of a script and all that it imports, by esbuild. It runs
// none of it. It finds files as Node and TypeScript do (package.json, tsconfig.json,
// node_modules), within bounds, and tells from the text what a script is and what it asks
// for: whether it is written as a program, its grants, the plugin that it belongs to.
//
// Package handler/script runs what is made here; what a script finds in its machine, and
// how code of a bundle reaches it (the names that begin with __hookway), is its part.
package bundle
