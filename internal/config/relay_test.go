package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRelayOfReadsHowMessagesTravel(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Dir(w.user("x"))
	for text, want := range map[string]Relay{
		"version: 1\n":             {},
		"relay: {machine: Laptop}": {Machine: "laptop"},
		"relay: {nats: 'nats://a:4222, nats://b:4222', creds: ~/n.creds}":   {NATS: "nats://a:4222,nats://b:4222", Creds: filepath.Join(w.env["HOME"], "n.creds")},
		"relay: {nats: [tls://a, tls://b], tls: {ca: ca.pem}}":              {NATS: "tls://a,tls://b", TLS: RelayTLS{CA: filepath.Join(dir, "ca.pem")}},
		"relay: {limits: {per_minute: 0, ping_pong: 5, hops: 1, inbox: 9}}": {Limits: RelayLimits{-1, 5, 1, 9}},
		"relay: {channels: {build: [Alice, Bob], '#ops': Eve}}":             {Channels: map[string][]string{"build": {"Alice", "Bob"}, "ops": {"Eve"}}},
		"relay: {leaf: {listen: 127.0.0.1:7422}}":                           {Leaf: RelayLeaf{Listen: "127.0.0.1:7422"}},
		"relay: {leaf: {listen: ':7422', token_file: hub.token, tls: {cert: c, key: k}}}": {Leaf: RelayLeaf{Listen: ":7422", TokenFile: filepath.Join(dir, "hub.token"),
			TLS: RelayTLS{Cert: filepath.Join(dir, "c"), Key: filepath.Join(dir, "k")}}},
		"relay: {leaf: {remotes: [{url: tls://hub:7422, token_file: /t, ca: ca}, {url: nats://127.0.0.1:7422, creds: c}]}}": {Leaf: RelayLeaf{Remotes: []RelayRemote{
			{URL: "tls://hub:7422", TokenFile: "/t", TLS: RelayTLS{CA: filepath.Join(dir, "ca")}}, {URL: "nats://127.0.0.1:7422", Creds: filepath.Join(dir, "c")}}}},
		"hooks: [{id: x}, {no: key}]\nrelay: {machine: m}": {Machine: "m"}, // mistakes elsewhere are told elsewhere
	} {
		w.write(w.user("hookway.yaml"), text)
		if got, err := RelayOf(func(name string) string { return w.env[name] }); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

func TestMistakesOfARelayAreToldWithTheirPlace(t *testing.T) {
	w := newWorld(t)
	for text, want := range map[string]string{
		"relay:\n":                                              "relay must be a map, not nothing",
		"relay: []":                                             "hookway.yaml:1:8: relay must be a map",
		"relay: {machin: x}":                                    "did you mean machine?",
		"relay: {machine: 'my laptop'}":                         "cannot be the name of a machine",
		"relay: {nats: 'http://a:4222'}":                        "1:15: nats: this is not the address of a server",
		"relay: {creds: x}":                                     "1:16: creds is for servers of your own",
		"relay: {tls: {ca: x}}":                                 "tls is for servers of your own",
		"relay: {nats: nats://a, tls: {cert: x}}":               "a certificate needs its key",
		"relay: {nats: nats://a, leaf: {listen: ':1'}}":         "nats and leaf are both here",
		"relay: {leaf: {}}":                                     "leaf joins nothing",
		"relay: {leaf: {token_file: x}}":                        "there is no listen",
		"relay: {leaf: {listen: 7422}}":                         "listen must be text",
		"relay: {leaf: {listen: '7422'}}":                       "\"7422\" is not an address",
		"relay: {leaf: {listen: '0.0.0.0:0'}}":                  "is not an address",
		"relay: {leaf: {listen: '0.0.0.0:7422'}}":               "in the clear",
		"relay: {leaf: {listen: ':1', tls: {cert: a, key: b}}}": "anybody who reaches :1 could read messages",
		"relay: {leaf: {remotes: [{}]}}":                        "the remote has no url",
		"relay: {leaf: {remotes: [{url: 'hub:7422'}]}}":         "not the address of a machine to join",
		"relay: {leaf: {remotes: [{url: 'nats://hub:7422'}]}}":  "messages to hub would go in the clear",
		"relay: {limits: {inbox: -1}}":                          "inbox is -1; it must be between 0 and 1000000",
		"relay: {limits: {inbocks: 1}}":                         "did you mean inbox?",
		"relay: {channels: [a]}":                                "channels must be a map",
		"relay: {channels: {'a b': [x]}}":                       "is not the name of a channel",
		"relay: {channels: {a: ['#x']}}":                        "is not the name of an agent",
		"relay: {machine: m":                                    "how messages travel cannot be read",
	} {
		w.write(w.user("hookway.yaml"), text)
		if _, err := RelayOf(func(name string) string { return w.env[name] }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
		if s := w.load(); len(s.Problems) == 0 {
			t.Errorf("%s: hookway list has no problem of it", text)
		}
	}
}

func TestAPasswordOfAServerIsNotShown(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "relay: {nats: 'http://me:geheim@host:4222'}")
	if _, err := RelayOf(func(name string) string { return w.env[name] }); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf(`got %v, want err != nil and !strings.Contains(err.Error(), "geheim")`, err)
	}
}

func TestARelayBelongsInTheUsersConfiguration(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks: []\nrelay: {machine: m}\n")
	text := w.load().Problems.String()
	if !strings.Contains(text, "hookway.yaml:2:8: relay belongs in the user's configuration") || !strings.Contains(text, w.user("hookway.yaml")) {
		t.Errorf(`got %v, want strings.Contains(text, "hookway.yaml:2:8: relay belongs in the user's configuration") and strings.Contains(text, w.user("hookway.yaml"))`, text)
	}
}
