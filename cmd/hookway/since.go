package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wantedSince is what --since takes, for people.
const wantedSince = "use how long ago (10m, 2h, 3d, 1w), a date (2006-01-02), a time (2006-01-02T15:04:05Z), or all"

// parseSince reads a time, or how long ago it is; zero if all is wanted.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "all" {
		return time.Time{}, nil
	}
	at, err := timeSince(text, now)
	if err == nil && at.Before(time.Unix(0, 0)) {
		err = fmt.Errorf("--since %q is before 1970, and nothing on record is as old; use a shorter time", text)
	}
	return at, err
}

// longAgo is a time that has days: they are those of the calendar, and not always 24 hours.
var longAgo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:([0-9]{1,9})w)?(?:([0-9]{1,9})d)?(.*)$`) })

func timeSince(text string, now time.Time) (time.Time, error) {
	ago := strings.TrimSpace(strings.TrimSuffix(text, "ago"))
	if m := longAgo().FindStringSubmatch(ago); m != nil && ago != "" {
		weeks, _ := strconv.Atoi(m[1]) // nothing is none
		days, _ := strconv.Atoi(m[2])
		rest, err := time.Duration(0), error(nil)
		if m[3] != "" {
			rest, err = time.ParseDuration(m[3])
		}
		if err == nil && rest >= 0 {
			return now.AddDate(0, 0, -7*weeks-days).Add(-rest), nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since %q is not a time; %s", text, wantedSince)
}

// noneEmpty reports a flag that was given without a value, as with a variable of a script
// that is not set: it would count as not given.
func noneEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if text := f.Value.String(); err == nil && (text == "" || text == "[]") {
			err = fmt.Errorf("--%s is empty; say what it is, or leave it out", f.Name)
		}
	})
	return err
}
