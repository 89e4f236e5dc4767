package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"
)

// notifySystemd sends a state such as READY=1 to the socket that systemd names in NOTIFY_SOCKET. Without one it does
// nothing.
func notifySystemd(log *slog.Logger, state string) {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	conn, err := net.Dial("unixgram", socket)
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close() // a datagram is sent by then
	}
	if err != nil {
		log.Warn("systemd was not notified", "state", state, "cause", err.Error())
	}
}

// feedWatchdog notifies the watchdog of systemd, twice in each of its periods (WATCHDOG_USEC), until ctx ends.
func feedWatchdog(ctx context.Context, log *slog.Logger) {
	period, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || period < 2 {
		return
	}
	beat := time.NewTicker(time.Duration(period) * time.Microsecond / 2)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			notifySystemd(log, "WATCHDOG=1")
		}
	}
}
