package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/logline"
)

// Listeners say where the daemon listens beside its socket, for programs that speak
// HTTP or gRPC.
type Listeners struct {
	addresses []string
	secure    *tls.Config
}

// PlanListeners reads what the user asked for: addresses, or else HOOKWAY_LISTEN, and
// the files of a certificate and its key, or "".
func (h *Home) PlanListeners(addresses []string, cert, key string) (Listeners, error) {
	if len(addresses) == 0 {
		addresses = strings.FieldsFunc(h.Getenv("HOOKWAY_LISTEN"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	p := Listeners{addresses: addresses}
	if cert == "" {
		return p, nil
	}
	if len(addresses) == 0 {
		return p, errors.New("--tls-cert is for --listen; say where to listen")
	}
	secure, err := api.TLS(cert, key)
	if err != nil {
		return Listeners{}, err
	}
	p.secure = secure
	return p, nil
}

// open opens the listeners for a server that answers. On demand, one that cannot be
// opened stays closed: agents are to be answered all the same.
func (p Listeners) open(h *Home, programs *api.Server, onDemand bool) (opened []net.Listener, err error) {
	if len(p.addresses) == 0 {
		return nil, nil
	}
	opened, err = p.openAll(h, programs)
	if err != nil && onDemand {
		h.Log.Warn("hookway is not listening elsewhere", logline.Err, err)
		err = nil
	}
	return opened, err
}

func (p Listeners) openAll(h *Home, programs *api.Server) (opened []net.Listener, err error) {
	_, state, err := config.Places(h.Getenv)
	if err != nil {
		return nil, err
	}
	if programs.Token, err = api.Token(state); err != nil {
		return nil, err
	}
	var errs []error
	for _, address := range p.addresses {
		l, err := api.Listen(address, p.secure)
		if err != nil { // on demand, the others are opened all the same
			errs = append(errs, fmt.Errorf("--listen %w", err))
			continue
		}
		opened, programs.Addresses = append(opened, l), append(programs.Addresses, l.Addr().String())
		h.Log.Warn(fmt.Sprintf("listening at %s, too; the token is in %s", l.Addr(), api.TokenFile(state)))
	}
	return opened, errors.Join(errs...)
}
