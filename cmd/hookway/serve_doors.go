package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
)

// doorFlags say where else the daemon listens.
type doorFlags struct {
	listen    []string
	cert, key string
	token     bool
}

func (f *doorFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.listen, "listen", nil, "answer HTTP and gRPC at `ADDRESS`, too: 127.0.0.1:PORT, unix:///PATH or vsock://:PORT (or $HOOKWAY_LISTEN)")
	flags.StringVar(&f.cert, "tls-cert", "", "the certificate for --listen, a `FILE` in PEM; with it, other machines may come in")
	flags.StringVar(&f.key, "tls-key", "", "its key, a `FILE` in PEM")
	flags.BoolVar(&f.token, "token", false, "print the file with the token that --listen asks for, and leave")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

// arguments are the flags as a service is started with: its folder is another one,
// so paths are whole.
func (f *doorFlags) arguments() (list []string, err error) {
	for _, address := range f.listen {
		list = append(list, "--listen", address)
	}
	if f.cert == "" {
		return list, nil
	}
	cert, err1 := filepath.Abs(f.cert)
	key, err2 := filepath.Abs(f.key)
	return append(list, "--tls-cert", cert, "--tls-key", key), errors.Join(err1, err2)
}

// doorPlan is where else the daemon is to listen, with what it needs for that.
type doorPlan struct {
	addresses []string
	secure    *tls.Config
}

// planDoors reads what was asked for.
func (a *app) planDoors(f doorFlags) (doorPlan, error) {
	p := doorPlan{addresses: f.listen}
	if len(p.addresses) == 0 {
		p.addresses = strings.FieldsFunc(a.getenv("HOOKWAY_LISTEN"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	if f.cert == "" {
		return p, nil
	}
	if len(p.addresses) == 0 {
		return p, errors.New("--tls-cert is for --listen; say where to listen")
	}
	secure, err := api.TLS(f.cert, f.key)
	if err != nil {
		return doorPlan{}, err
	}
	p.secure = secure
	return p, nil
}

// open gives what opens the doors. On demand, one that cannot be opened stays
// closed: agents are to be answered all the same.
func (p doorPlan) open(a *app, behind *api.Doors, log func(string), onDemand bool) func() ([]net.Listener, error) {
	return func() ([]net.Listener, error) {
		if len(p.addresses) == 0 {
			return nil, nil
		}
		doors, err := p.openAll(a, behind, log)
		if err != nil && onDemand {
			log("hookway is not listening elsewhere: " + err.Error())
			err = nil
		}
		return doors, err
	}
}

func (p doorPlan) openAll(a *app, behind *api.Doors, log func(string)) (doors []net.Listener, err error) {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return nil, err
	}
	if behind.Token, err = api.Token(state); err != nil {
		return nil, err
	}
	var errs []error
	for _, address := range p.addresses {
		door, err := api.Listen(address, p.secure)
		if err != nil { // on demand, the others are opened all the same
			errs = append(errs, fmt.Errorf("--listen %w", err))
			continue
		}
		doors, behind.Addresses = append(doors, door), append(behind.Addresses, door.Addr().String())
		log(fmt.Sprintf("listening at %s, too; the token is in %s", door.Addr(), api.TokenFile(state)))
	}
	return doors, errors.Join(errs...)
}

// showToken prints where the token is. The token itself is for that file alone.
func showToken(a *app) error {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return err
	}
	if _, err := api.Token(state); err != nil {
		return err
	}
	fmt.Fprintln(a.out, api.TokenFile(state))
	return nil
}
