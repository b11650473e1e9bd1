// Package config finds and reads the configuration, keeps the user's trust in
// workspaces, and fills an engine with the hooks.
//
// # The steps of a load
//
// [Load] goes through the room from above (loader.go): files reads hookway.yaml, what it
// names and what lies in folders (files.go), with the parser (parse.go, root.go, hook.go)
// and with scripts, which bundles them (scripts.go). A pinner hashes what a workspace
// could run (pins.go), and judge compares that with what is trusted. An asker finds out
// what executables and scripts want (ask.go). A builder makes hooks of all that was found
// (build.go), in the order of registration, and memories adds those of memory itself.
// What all steps share is a load (load.go). [Live] loads again when files change.
//
// # Where hooks come from
//
// In this order, later ones added: the user's configuration (Places), then the
// workspace, which is the nearest folder with a hookway.yaml, a hookway.config.ts, a
// relay.config.ts, a .hookway/hooks or a .acai/hooks; one that was never trusted gives
// way to one above that was. In each, first hookway.yaml, then those scripts, then the
// executables and scripts of the hook folders by name. A file with mistakes is left out whole, with all its mistakes
// listed; the others are used.
//
// Two files may use the same id. The engine needs different ones, so the later
// hook is called workspace/ID, or ID@FILE if that is taken too; both run.
//
// # Files that commands name
//
// A program, and an argument that is a path to a file, means the file beside the
// configuration, wherever the agent works: ./guard in /src/hookway.yaml is
// /src/guard. An interpreter's script needs no slash: python3 guard.py. In a
// shell line the same holds for plain words, up to a cd. Everything else means
// what it means in the agent's working directory, in which commands run.
//
// # Trust
//
// A workspace's hooks run only when the user said so, which pins everything that
// could run or configure: hookway.yaml, all files of the hook folders, and the
// files of the workspace that commands name in any of their words, in quotes
// too, with their execute bits. A command that runs files which it does not
// name, as make does, is a warning. When one
// of them changes, the workspace has to be trusted again. What is parsed is what
// was hashed, and a command checks its files before each start.
//
// A running engine (Live) keeps the hooks that it has when a file changes until
// the user trusts the change or takes the trust back: editing a file is not a way
// to be rid of a guard.
package config
