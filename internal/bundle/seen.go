package bundle

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// What a script's text says, before any of it has run. It is what a
// person is asked about; what a script may do is what it was granted, whatever its
// text hides.

// usedBy are the built-in modules that need a grant, whatever of them is used.
var usedBy = map[string]Grant{"child_process": Exec, "http": Net, "https": Net, "net": Net}

// seenGlobals are the global functions that need one, by what stands for them in the
// text in which they are looked for.
var seenGlobals = map[string]Grant{"__hookway_seen_exec": Exec, "__hookway_seen_fetch": Net}

// asModule matches the names of such modules where a script asks for them by a
// function of its own, as one of createRequire.
var asModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\(\\s*[\"'`](?:node:)?(child_process|https?|net)[\"'`]\\s*\\)")
})

// Uses says what the script, with all that it imports, is seen to do for which it needs
// a grant: to run programs, to use the network. Where it may read and write is for
// people to say.
func (b *Bundle) Uses() []Grant {
	seen := map[Grant]bool{}
	for _, name := range b.builtin {
		seen[usedBy[name]] = true
	}
	for _, m := range asModule().FindAllStringSubmatch(b.Code, -1) {
		seen[usedBy[m[1]]] = true
	}
	code := b.globals()
	for name, g := range seenGlobals {
		seen[g] = seen[g] || strings.Contains(code, name)
	}
	var out []Grant
	for _, g := range []Grant{Exec, Net} {
		if seen[g] {
			out = append(out, g)
		}
	}
	return out
}

// globals is the code in which what means the global exec or fetch, and no name of the
// script's own, has another name.
func (b *Bundle) globals() string {
	if !strings.Contains(b.Code, "exec") && !strings.Contains(b.Code, "fetch") {
		return ""
	}
	define := map[string]string{}
	for name := range seenGlobals {
		plain := strings.TrimPrefix(name, "__hookway_seen_")
		for _, of := range []string{"", "globalThis.", "global.", "self."} {
			define[of+plain] = name
		}
	}
	return string(api.Transform(b.Code, api.TransformOptions{Loader: api.LoaderJS, Target: api.ES2023, Define: define, LogLevel: api.LogLevelSilent}).Code)
}

// wrapping matches a call of wrap up to the end of what it is given.
var wrapping = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.wrap\(([^()]*)(\)?)`) })

// Wraps lists the programs that the script gives to relay.wrap, each as its words; one
// word is a line. computed reports whether there is one that the text does not tell.
func (b *Bundle) Wraps() (commands [][]string, computed bool) {
	if !slices.Contains(b.builtin, "relay.js") {
		return nil, false
	}
	for _, m := range wrapping().FindAllStringSubmatch(b.Code, -1) {
		var given []any
		if m[2] == "" || json.Unmarshal([]byte("["+m[1]+"]"), &given) != nil {
			computed = true
			continue
		}
		if words := wordsOf(given); len(words) > 0 {
			commands = append(commands, words)
		}
	}
	return commands, computed
}

// wordsOf are the texts that wrap is given, one by one or in lists; what else it is given
// says nothing of the program.
func wordsOf(given []any) (words []string) {
	for _, v := range given {
		switch v := v.(type) {
		case string:
			words = append(words, v)
		case []any:
			words = append(words, wordsOf(v)...)
		}
	}
	return words
}
