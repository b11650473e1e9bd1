package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hookway/hookway/hook"
)

// flagError says what is wrong with a flag, and what was meant or where the flags stand.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			return fmt.Errorf("%w; did you mean --%s? %s --help shows the flags", err, near, cmd.CommandPath())
		}
	}
	said, _, _ := strings.Cut(err.Error(), ": strconv.") // which is about Go
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) && wrong.GetFlag().Value.Type() == "duration" {
		said, _, _ = strings.Cut(said, ": time: ")
		said += ": want a time with its unit, such as 500ms, 30s or 2m"
	}
	return fmt.Errorf("%s; %s --help shows the flags", said, cmd.CommandPath())
}

// nearestFlag is the long flag of a command that was meant; "" if none is like it.
func nearestFlag(cmd *cobra.Command, name string) string {
	if len(name) < 2 { // one letter is like all of them
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	slices.Sort(names)
	return hook.Nearest(name, names)
}

// showFlagsPlainly takes the marks out of the flags' descriptions that say which word
// stands for the value: shells show a description as it is.
func showFlagsPlainly(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
	cmd.Flags().VisitAll(plain)
	cmd.PersistentFlags().VisitAll(plain)
	for _, sub := range cmd.Commands() {
		showFlagsPlainly(sub)
	}
}
