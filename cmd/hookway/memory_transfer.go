package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/memory"
)

func memoryImportCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:   "import FILE | -",
		Short: "Save the memories of a file: one JSON object a line",
		Long: `Save the memories of a file, or with - of stdin, one JSON object a line, as
hookway memory export writes them: {"id","text","session","agent","workspace",
"time","tags","scope","file","context"}. Only text is needed; what else a line
does not say is taken from the flags. A text for tags is one tag. An id that is
there is replaced. A mistake in one line is an error, and then nothing is imported;
what is not valid UTF-8 becomes the sign that stands for that, U+FFFD.`,
		Example: "  hookway memory import notes.jsonl\n  ssh other hookway memory export | hookway memory import -",
		Args:    exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := memoryOrigin(a, f)
			if err != nil {
				return err
			}
			from := a.in
			if args[0] != "-" {
				if from, err = openWithin(cmd.Context(), args[0]); err != nil {
					return fmt.Errorf("nothing was imported: %w", err)
				}
				defer from.Close()
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				return importMemories(a, cmd, store, from, m, args[0])
			})
		},
	}
	f.addWriter(cmd)
	return cmd
}

func importMemories(a *app, cmd *cobra.Command, store memory.Backend, from *os.File, m memory.Memory, name string) error {
	done, err := memory.Import(cmd.Context(), store, from, m)
	if err != nil {
		if name == "-" {
			name = "stdin"
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if a.json {
		return a.print(done)
	}
	_, err = fmt.Fprintf(a.out, "%d added, %d replaced, %d unchanged\n", done.Added, done.Replaced, done.Unchanged)
	return err
}

func memoryExportCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Print memories as JSON, one a line, the oldest first",
		Example: "  hookway memory export --all > memories.jsonl",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := memoryView(a, f)
			if err != nil {
				return err
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				_, err := memory.Export(cmd.Context(), store, a.out, v)
				return endOfReader(err)
			})
		},
	}
	f.addReader(cmd)
	return cmd
}
