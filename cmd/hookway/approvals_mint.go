package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// minting is one call of approvals mint.
type minting struct {
	*app
	http, drop string
	life       time.Duration
}

// Bounds of how long a credential lives.
const (
	credentialLife     = 12 * time.Hour
	mostCredentialLife = 90 * 24 * time.Hour
)

func mintCommand(a *app) *cobra.Command {
	m := &minting{app: a}
	cmd := &cobra.Command{
		Use:   "mint [CHANNEL]",
		Short: "Have a channel of the configuration count, or make a credential for answers over HTTP",
		Long: `Have a channel of your configuration count: asks are sent over it, and its answers
are taken. Anybody who can write the configuration could add a channel, also an agent;
so one counts only once you have seen, in a terminal of your own, where it leads. When
that changes it is to be minted again. Channels of an administrator count at once.

--http makes a credential with which a program answers over HTTP. It is shown once.
--drop takes a channel or a credential back. Without either, what there is is listed.`,
		Example: "  hookway approvals mint phone\n  hookway approvals mint --http desk --for 8h\n  hookway approvals mint --drop desk",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := 0
			for _, one := range []bool{len(args) > 0, m.http != "", m.drop != ""} {
				if one {
					given++
				}
			}
			switch {
			case given > 1:
				return errors.New("name a channel, or give --http or --drop: one at a time")
			case cmd.Flags().Changed("for") && m.http == "":
				return errors.New("--for goes with --http: a channel counts until it is dropped")
			case given == 0:
				return m.list(cmd.Context())
			}
			return m.recorded(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&m.http, "http", "", "make a credential of this `NAME` for answers over HTTP")
	flags.DurationVar(&m.life, "for", credentialLife, "the `TIME` that the credential of --http lives")
	flags.StringVar(&m.drop, "drop", "", "take back the channel or the credential of this `NAME`")
	return cmd
}

// recorded does what was asked for, and puts on record who did, or why they may not.
func (m *minting) recorded(cmd *cobra.Command, args []string) (err error) {
	ctx, said := cmd.Context(), ""
	switch {
	case m.http != "":
		said, err = m.credential(ctx)
	case m.drop != "":
		said, err = m.takeBack(ctx)
	default:
		said, err = m.channel(ctx, args[0])
	}
	by, from := personAt(m.app, "a terminal")
	m.home.Answered(ctx, approvalRecord(m.app, cmd.CommandPath()+" "+strings.Join(append(args, m.http, m.drop), " "), &ownersWord{yes: true, by: by, said: said + ", in " + from}, err))
	return err
}

// channels are those of the configuration.
func (m *minting) channels() ([]config.ApprovalChannel, error) {
	file := config.ApprovalsFile{Getenv: m.getenv, Managed: m.home.Managed}
	all, _, err := file.Read()
	return all.Channels, err
}

func (m *minting) channel(ctx context.Context, name string) (said string, err error) {
	all, err := m.channels()
	if err != nil {
		return "", err
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		if c.Name != name {
			continue
		}
		question := fmt.Sprintf("Asks would go to %s. Whoever reads them there can answer.\nLet the channel %s count?", server.Leads(c), visible.Line(name))
		who, err := m.minter(ctx, "the channel does not count", question)
		if err != nil {
			return "", err
		}
		if err := m.home.ChangeMinted(ctx, func(minted *server.Minted) error { minted.MintChannel(c, who); return nil }); err != nil {
			return "", err
		}
		if m.json {
			return "the channel " + name + " counts", m.print(map[string]string{"channel": name, "leads": server.Leads(c)})
		}
		fmt.Fprintf(m.out, "The channel %s counts; hookway doctor --live sends a card over it\n", visible.Line(name))
		return "the channel " + name + " counts", nil
	}
	if len(names) == 0 {
		return "", errors.New("there is no channel; write approvals: {channels: [{ntfy: {url: …, topic: …}}]} into hookway.yaml of your own configuration")
	}
	return "", fmt.Errorf("there is no channel %q; there is %s", name, strings.Join(names, ", "))
}

// minter asks who mints, with their PIN where a yes takes it: what they mint can say yes then.
func (m *minting) minter(ctx context.Context, not, question string) (who server.Minter, err error) {
	if who.PIN, err = m.home.RequiresPIN(ctx); err != nil {
		return who, err
	}
	who.By, _ = personAt(m.app, "")
	return who, m.ask(ctx, not, question)
}

func (m *minting) credential(ctx context.Context) (said string, err error) {
	if m.life <= 0 || m.life > mostCredentialLife {
		return "", fmt.Errorf("invalid duration %v: want up to %v, e.g. 8h", m.life, mostCredentialLife)
	}
	name := field(m.http, 80)
	who, err := m.minter(ctx, "no credential was made", fmt.Sprintf("Whoever has the credential %s can answer whatever is asked, for %v. Make it?", name, m.life))
	if err != nil {
		return "", err
	}
	var secret string
	var made server.MintedCredential
	err = m.home.ChangeMinted(ctx, func(minted *server.Minted) error {
		secret, made = minted.MintCredential(name, who, m.life)
		return nil
	})
	if err != nil {
		return "", err
	}
	said = fmt.Sprintf("the credential %s answers over HTTP until %s", name, made.Until.Format(time.RFC3339))
	if m.json {
		return said, m.print(map[string]any{"name": name, "credential": secret, "until": made.Until})
	}
	fmt.Fprintf(m.out, "%s\nIt is shown this once, and lives until %s. Send it as the header Hookway-Credential.\n", secret, made.Until.Local().Format(time.DateTime))
	return said, nil
}

func (m *minting) takeBack(ctx context.Context) (said string, err error) {
	if err := m.ask(ctx, "nothing was taken back", fmt.Sprintf("Take %s back?", field(m.drop, 80))); err != nil {
		return "", err
	}
	err = m.home.ChangeMinted(ctx, func(minted *server.Minted) error {
		channel, credential := minted.DropChannel(m.drop), minted.DropCredential(m.drop)
		if !channel && !credential {
			return fmt.Errorf("nothing of the name %q was minted; hookway approvals mint lists what was", m.drop)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if m.json {
		return m.drop + " was taken back", m.print(map[string]string{"dropped": m.drop})
	}
	fmt.Fprintf(m.out, "%s was taken back\n", field(m.drop, 80))
	return m.drop + " was taken back", nil
}

// listedChannel is a channel for people and machines.
type listedChannel struct {
	Name   string `json:"name"`
	Leads  string `json:"leads"`
	Counts bool   `json:"counts"`
	Allows bool   `json:"allows"` // a yes counts: it takes no PIN, or the channel was minted with it
}

func (m *minting) list(ctx context.Context) error {
	all, err := m.channels()
	if err != nil {
		return err
	}
	minted, err := m.home.Minted()
	if err != nil {
		return err
	}
	pin, err := m.home.RequiresPIN(ctx)
	if err != nil {
		return err
	}
	channels, credentials := []listedChannel{}, []server.MintedCredential{}
	for _, c := range all {
		channels = append(channels, listedChannel{c.Name, server.Leads(c), minted.Counts(c), minted.Counts(c) && (!pin || minted.Proven(c))})
	}
	for _, c := range minted.Credentials {
		c.Hash = ""
		credentials = append(credentials, c)
	}
	if m.json {
		return m.print(map[string]any{"channels": channels, "credentials": credentials})
	}
	if len(channels)+len(credentials) == 0 {
		fmt.Fprintln(m.out, "There is no channel in your configuration, and no credential for answers over HTTP")
		return nil
	}
	table := tabwriter.NewWriter(visible.Writer{To: m.out}, 0, 0, 2, ' ', 0)
	for _, c := range channels {
		state := "counts"
		switch {
		case !c.Counts:
			state = "does not count: hookway approvals mint " + c.Name
		case !c.Allows:
			state = "only refuses, for it was minted without the PIN: hookway approvals mint " + c.Name
		}
		fmt.Fprintf(table, "channel\t%s\t%s\t%s\n", field(c.Name, 40), state, c.Leads)
	}
	for _, c := range credentials {
		state := "until " + c.Until.Local().Format(time.DateTime)
		switch {
		case !time.Now().Before(c.Until):
			state = "is over"
		case pin && !c.PIN:
			state += ", only refuses, for it was minted without the PIN"
		}
		fmt.Fprintf(table, "credential\t%s\t%s\tby %s\n", field(c.Name, 40), state, field(c.By, 40))
	}
	return table.Flush()
}
