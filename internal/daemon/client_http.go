package daemon

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds what is read of an answer over HTTP.
const maxAnswer = 16 << 20

// Ask sends a request to what the daemon answers over HTTP, and gives the status
// and the body. A body that is not nil is JSON. The connection is of no use after.
func (c *Client) Ask(ctx context.Context, method, path string, body []byte) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://hookway"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Close = true
	stop := context.AfterFunc(ctx, func() { c.nc.Close() })
	defer stop()
	if err := r.Write(c.nc); err != nil {
		return 0, nil, unasked(ctx, err)
	}
	response, err := http.ReadResponse(c.in, r)
	if err != nil {
		return 0, nil, unasked(ctx, err)
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, nil, unasked(ctx, err)
	}
	return response.StatusCode, answer, nil
}

func unasked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the daemon did not answer: %w", err)
}
