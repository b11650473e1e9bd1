package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/docs/schema"
)

func schemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "schema NAME",
		Short:     "Print a JSON Schema: " + strings.Join(schema.Names(), ", "),
		ValidArgs: schema.Names(),
		Args:      exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schema.Get(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.out, "%s", text)
			return err
		},
	}
}
