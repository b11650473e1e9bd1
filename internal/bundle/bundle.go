package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/hookway/hookway/internal/disk"
)

// Bundle is a script with all that it imports, as one text.
type Bundle struct {
	File  string   // the script's own; absolute
	Root  string   // the folder from which places are named
	Files []string // that it was made of, sorted; absolute
	Code  string   // what runs
	Hash  string   // of Code
	Asks  []Grant  // that the file itself asks for: export const allow = ["exec"]; nil: it does not say

	Plugin *Plugin  // what the package says of itself; nil: the file belongs to no plugin
	Notes  []string // what of it is left out, and why

	Program bool            // it runs once for each event, as a program does
	Later   bool            // its top level awaits something
	Intl    bool            // it names Intl, or what builds on that
	Names   map[string]bool // words of its own text that may be names of variables

	builtin []string // the built-in modules that it imports
	places  func() *sourceMap
}

// Options say how a file is bundled.
type Options struct {
	// Root is the folder from which places in errors are named; empty is the file's. What
	// the script takes in from outside of it must be code, unless it may read.
	Root string

	// Allow is what the script may do; nil is what it asks for itself.
	Allow []Grant

	// Program bundles the file as a program even if its text does not look like one.
	Program bool

	// Exports says what the built-in modules export.
	Exports func() (*Exports, error)
}

// Build bundles a file. It does not run any of it. The error names each mistake
// with file, line and column.
//
// A file that is written as a program, and exports no hook, becomes one.
func Build(file string, o Options) (*Bundle, error) {
	program := o.Program || writtenAsProgram(file)
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("the script %s cannot be found: %w", file, err)
	}
	if o.Root == "" {
		o.Root = filepath.Dir(file)
	}
	what, err := planOf(file)
	if err != nil {
		return nil, err
	}
	b := &Bundle{File: file, Root: o.Root, Program: program && what.plugin == nil, Plugin: what.plugin, Notes: what.notes}
	var asking error
	if len(what.units) == 1 && what.units[0].file == file {
		b.Asks, asking = b.asked()
	}
	if o.Allow == nil {
		o.Allow = b.Asks
	}
	files, err := newFinder(filepath.Dir(file), o.Root, slices.Contains(o.Allow, Read))
	if err != nil && what.plugin == nil {
		return nil, err
	}
	files.entry = disk.Real(file)
	result := b.bundle(what, files, o.Exports)
	if len(result.Errors) > 0 {
		return nil, Mistakes(result.Errors)
	}
	if asking != nil {
		return nil, asking
	}
	b.Names = files.names
	return b, b.take(result, what)
}

// bundle has esbuild read the script. If its top level awaits something, it is read once
// more, as a function that can wait; that finds what else is wrong with it, too.
func (b *Bundle) bundle(what *plan, files *finder, exports func() (*Exports, error)) api.BuildResult {
	options := buildOptions(b.File, b.Root, exports)
	options.Stdin.Contents = what.entryOf(b.File)
	options.TsconfigRaw, options.Plugins = files.config.raw(), append(append([]api.Plugin{sdk(what.plugin != nil)}, options.Plugins...), files.plugin())
	if b.Program {
		options.Stdin.Contents = programEntry(b.File)
		asProgram(&options, false)
	}
	result := api.Build(options)
	if b.Later = awaits(result.Errors); !b.Later {
		return result
	}
	options.Format, options.Banner, options.Footer = api.FormatESModule, map[string]string{"js": "__hookway.later(async () => {\"use strict\";"}, map[string]string{"js": "});"}
	if b.Program {
		asProgram(&options, true)
	}
	files.bytes, files.files = 0, 0
	return api.Build(options)
}

// take keeps what esbuild made.
func (b *Bundle) take(result api.BuildResult, what *plan) (err error) {
	var mapping []byte
	for _, out := range result.OutputFiles {
		if strings.HasSuffix(out.Path, ".map") {
			mapping = out.Contents
		} else {
			b.Code = string(out.Contents)
		}
	}
	if b.Program && b.Later {
		if b.Code, mapping, err = writtenOut(b.Code, mapping); err != nil {
			return err
		}
	}
	if !b.Program && strings.Contains(b.Code, shim) {
		b.Code = `var require=__hookway.requires("");` + b.Code
	}
	b.Intl = strings.Contains(b.Code, "Intl") || strings.Contains(b.Code, "toLocale")
	b.places = sync.OnceValue(func() *sourceMap { return readMap(mapping) })
	if b.Files, b.builtin, err = inputs(result.Metafile, b.Root); err != nil {
		return err
	}
	b.Files = append(b.Files, what.files...)
	slices.Sort(b.Files)
	sum := sha256.Sum256([]byte(b.Code))
	b.Hash = hex.EncodeToString(sum[:])
	return nil
}

// shim is what bundlers say in the place of a module that they left out. They look
// for a function require first, which OpenClaw's loader and Node's own give.
const shim = `Dynamic require of "`

func buildOptions(file, root string, exports func() (*Exports, error)) api.BuildOptions {
	return api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents: entry(file), ResolveDir: filepath.Dir(file), Sourcefile: EntryName, Loader: api.LoaderJS,
		},
		AbsWorkingDir: root, Bundle: true, Outfile: filepath.Join(root, "script.js"), Write: false, Metafile: true,
		Format: api.FormatIIFE, Platform: api.PlatformNeutral, Target: api.ES2023, Charset: api.CharsetUTF8,
		MainFields: []string{"module", "main"}, Conditions: []string{"module", "default"},
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, LogLevel: api.LogLevelSilent,
		Define:       map[string]string{"import.meta": "__hookway_meta", "require.main": "__hookway_main"},
		MinifySyntax: false, KeepNames: false, LegalComments: api.LegalCommentsNone,
		Loader:  map[string]api.Loader{".txt": api.LoaderText, ".md": api.LoaderText, ".sql": api.LoaderText},
		Plugins: []api.Plugin{modules(exports)},
	}
}

// awaits reports whether a script was refused because its top level awaits.
func awaits(list []api.Message) bool {
	return slices.ContainsFunc(list, func(m api.Message) bool {
		return strings.HasPrefix(m.Text, "Top-level await is currently not supported") || strings.HasPrefix(m.Text, "Top-level await is not available")
	})
}

// EntryName stands for the text with which a bundle begins.
const EntryName = "hookway:entry"

// entry is the text that makes a program of a file.
func entry(file string) string {
	return fmt.Sprintf("import * as script from %s;\n__hookway.load(script, %s);\n", quote(file), quote(baseOf(file)))
}

// inputs lists the files of a bundle, and what of the prelude it takes.
func inputs(metafile, root string) (files, builtin []string, err error) {
	var meta struct {
		Inputs map[string]json.RawMessage `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, nil, fmt.Errorf("esbuild's list of files cannot be read: %w", err)
	}
	for name := range meta.Inputs {
		space, of, _ := strings.Cut(name, ":")
		switch {
		case strings.HasSuffix(name, EntryName), space == "(disabled)":
		case space == "hookway", space == "part", space == "required":
			builtin = append(builtin, of)
		default:
			path := filepath.FromSlash(name)
			if !filepath.IsAbs(path) {
				path = filepath.Join(root, path)
			}
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files, builtin, nil
}

// Name is the name of the script's file, without its extension.
func (b *Bundle) Name() string { return baseOf(b.File) }
