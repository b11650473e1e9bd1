package daemon

import "time"

func init() {
	endTime, drainTime = time.Minute, time.Minute
}
