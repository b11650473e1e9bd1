//go:build linux || darwin

package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/internal/terminal"
)

func ExampleStart() {
	ctx := context.Background()
	p, err := terminal.Start(ctx, terminal.Config{
		Command: []string{"sh", "-c", `printf 'Name? '; read name; echo "Hello $name"`},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for {
		lines, err := p.Next(ctx, 200*time.Millisecond)
		for _, line := range lines {
			if line.Partial && line.Text == "Name? " {
				_ = p.Type(ctx, "Ada")
			}
			fmt.Printf("%q echo=%t\n", line.Text[line.Seen:], line.Echo)
		}
		if err != nil && !errors.Is(err, terminal.ErrStill) {
			break
		}
	}
	status, err := p.Wait()
	fmt.Println(status.Code, err)
	// Output:
	// "Name? " echo=false
	// "Ada" echo=true
	// "Hello Ada" echo=false
	// 0 <nil>
}
