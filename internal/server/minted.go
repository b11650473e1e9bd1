package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
)

// Minted is what the owner made in a terminal of their own, so that others may answer: the
// channels that count, and credentials for answers over HTTP. An agent may write a
// configuration; it must not make a way of its own to answer what it is asked.
type Minted struct {
	Channels    []MintedChannel    `json:"channels,omitempty"`
	Credentials []MintedCredential `json:"credentials,omitempty"`
}

// MintedChannel is a channel as it was when the owner looked at it.
type MintedChannel struct {
	Name string    `json:"name"`
	Hash string    `json:"hash"` // of what leads somewhere else if it is changed
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	PIN  bool      `json:"pin,omitempty"` // its owner typed theirs: a yes counts where it takes one
}

// MintedCredential lets a program answer over HTTP.
type MintedCredential struct {
	Name  string    `json:"name"`
	Hash  string    `json:"hash,omitempty"` // of the secret
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Until time.Time `json:"until"`
	PIN   bool      `json:"pin,omitempty"` // as of a channel
}

// Minter is who mints.
type Minter struct {
	By  string
	PIN bool // they typed it
}

// mostMinted bounds the file.
const mostMinted = 1 << 20

func (h *Home) minted() (disk.Kept[Minted], error) {
	dir, err := h.folder("approvals")
	return disk.Kept[Minted]{Path: filepath.Join(dir, "minted.json"), Most: mostMinted, What: "what may answer asks", Rescue: "then mint again"}, err
}

// Minted reads what was minted.
func (h *Home) Minted() (Minted, error) {
	file, err := h.minted()
	if err != nil {
		return Minted{}, err
	}
	return file.Read()
}

// ChangeMinted changes what was minted. Only one process does so at a time.
func (h *Home) ChangeMinted(ctx context.Context, change func(*Minted) error) error {
	file, err := h.minted()
	if err != nil {
		return err
	}
	return file.Change(ctx, change)
}

// Counts reports whether a channel was minted as it is now. The administrator's need not be.
func (m *Minted) Counts(c config.ApprovalChannel) bool {
	return m.find(c) != nil || c.Layer == config.LayerManaged
}

// Proven reports whether a channel that counts was minted with the PIN. The administrator's
// need not be.
func (m *Minted) Proven(c config.ApprovalChannel) bool {
	one := m.find(c)
	return one != nil && one.PIN || c.Layer == config.LayerManaged
}

// find is the channel as it was minted; nil if it leads elsewhere now.
func (m *Minted) find(c config.ApprovalChannel) *MintedChannel {
	hash := hashOfChannel(c)
	for i := range m.Channels {
		if one := &m.Channels[i]; one.Name == c.Name && one.Hash == hash {
			return one
		}
	}
	return nil
}

// MintChannel has a channel count as it is now.
func (m *Minted) MintChannel(c config.ApprovalChannel, who Minter) {
	m.DropChannel(c.Name)
	m.Channels = append(m.Channels, MintedChannel{Name: c.Name, Hash: hashOfChannel(c), By: who.By, At: time.Now().UTC().Truncate(time.Second), PIN: who.PIN})
}

// DropChannel has a channel count no more. It reports whether it did.
func (m *Minted) DropChannel(name string) bool {
	for i := range m.Channels {
		if m.Channels[i].Name == name {
			m.Channels = append(m.Channels[:i], m.Channels[i+1:]...)
			return true
		}
	}
	return false
}

// hashOfChannel is another one if a channel leads elsewhere.
func hashOfChannel(c config.ApprovalChannel) string {
	text, err := json.Marshal([]any{c.Ntfy, c.Webhook})
	if err != nil {
		return "" // it has texts alone
	}
	return hashed(string(text))
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// credentialMark begins credentials, so that people and those that look for secrets know
// what they see.
const credentialMark = "hwa_"

// MintCredential makes a credential in place of an earlier one of its name, and gives what
// is not kept.
func (m *Minted) MintCredential(name string, who Minter, life time.Duration) (secret string, c MintedCredential) {
	m.DropCredential(name)
	secret = credentialMark + rand.Text()
	now := time.Now().UTC().Truncate(time.Second)
	c = MintedCredential{Name: name, Hash: hashed(secret), By: who.By, At: now, Until: now.Add(life), PIN: who.PIN}
	m.Credentials = append(m.Credentials, c)
	return secret, c
}

// DropCredential takes a credential back. It reports whether there was one.
func (m *Minted) DropCredential(name string) bool {
	for i := range m.Credentials {
		if m.Credentials[i].Name == name {
			m.Credentials = append(m.Credentials[:i], m.Credentials[i+1:]...)
			return true
		}
	}
	return false
}

// Credential finds who has a credential; ok is false if nobody has, or not any more.
func (m *Minted) Credential(secret string, now time.Time) (c MintedCredential, ok bool) {
	hash := []byte(hashed(secret))
	for _, one := range m.Credentials {
		if subtle.ConstantTimeCompare([]byte(one.Hash), hash) == 1 && now.Before(one.Until) {
			c, ok = one, true
		}
	}
	return c, ok
}
