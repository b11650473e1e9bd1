package server

import (
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/gateway/spool"
)

// GatewayDir is where the gateway keeps what outlasts the daemon.
func (h *Home) GatewayDir() (string, error) {
	return h.folder("gateway")
}

// Webhooks keeps what webhooks are to be told.
func (h *Home) Webhooks() *spool.Spool { return h.WebhooksWith(h.Log) }

func (h *Home) WebhooksWith(log func(string)) *spool.Spool {
	h.telling.Do(func() {
		if dir, err := h.GatewayDir(); err == nil { // else no configuration can be read either
			h.spool = spool.New(dir, log)
			h.spool.Tell = audit.Told
		}
	})
	return h.spool
}

// CloseWebhooks waits for what is being kept; what is not sent, the daemon sends.
func (h *Home) CloseWebhooks() {
	if h.spool == nil {
		return
	}
	if err := h.spool.Close(); err != nil {
		h.Log(err.Error())
	}
}
