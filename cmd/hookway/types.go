package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/visible"
)

func typesCommand(a *app) *cobra.Command {
	var stdout bool
	c := &cobra.Command{
		Use:   "types [FILE]",
		Short: "Write the types for hooks in TypeScript",
		Long: `Write the types for hooks in TypeScript: the modules that scripts may import
(hookway, agent-relay, @a3s-lab/box, openclaw/plugin-sdk, @compilr-dev/agents)
and exec. The file is hookway.d.ts, unless you name another; editors find it when
it lies in the project. It can be written again at any time.`,
		Example: "  hookway types\n  hookway types --stdout",
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if stdout {
				_, err := fmt.Fprint(a.out, script.Types())
				return err
			}
			path := "hookway.d.ts"
			if len(args) > 0 {
				path = args[0]
			}
			if err := os.WriteFile(path, []byte(script.Types()), 0o644); err != nil {
				return fmt.Errorf("the types cannot be written: %w", err)
			}
			if a.json {
				return a.print(map[string]string{"file": path})
			}
			_, err := fmt.Fprintf(visible.Writer{To: a.out}, "Wrote %s\n", path)
			return err
		},
	}
	c.Flags().BoolVar(&stdout, "stdout", false, "print them instead")
	return c
}
