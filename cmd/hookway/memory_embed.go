package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/visible"
)

func memoryEmbedCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "embed",
		Short: "Make the vectors that memories lack, with the configured embedder",
		Long: `Make the vectors that memories lack, with the configured embedder.

It is not needed: sessions and the daemon do it in the background, and until a
memory has its vector, its words find it. After an import, or with another model,
this does it at once and shows how far it is.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.home.Memories().Embedded(cmd.Context())
			if err != nil {
				return err
			}
			return errors.Join(embedAll(a, cmd, store), store.Close())
		},
	}
}

// embedAll makes all vectors, and says every second how far it is.
func embedAll(a *app, cmd *cobra.Command, store *memory.Store) error {
	made, left := 0, 0
	said := time.Now()
	err := store.Embed(cmd.Context(), func(done, rest int) {
		made, left = done, rest
		if time.Since(said) >= time.Second && !a.json {
			said = time.Now()
			fmt.Fprintf(a.err, "hookway: %s made, %d left\n", visible.Count(done, "vector"), rest)
		}
	})
	if err != nil {
		return fmt.Errorf("%s made and kept: %w", visible.Count(made, "vector was", "vectors were"), err)
	}
	if a.json {
		return a.print(map[string]int{"made": made, "left": left})
	}
	_, err = fmt.Fprintf(a.out, "%s made\n", visible.Count(made, "vector"))
	if left > 0 {
		fmt.Fprintf(a.err, "hookway: the embedder cannot do %s find them\n", visible.Count(left, "memory; its words", "memories; their words"))
	}
	return err
}
