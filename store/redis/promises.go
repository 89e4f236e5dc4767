package redis

import (
	"context"
	"fmt"
	"strings"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// promise is how one server is set up, as far as it decides what may be lost.
type promise struct {
	log, sync, evict string // appendonly, appendfsync, maxmemory-policy
	memory           string // maxmemory
	rewriting        bool   // its log, as a whole
	replica          bool
	replicas         int
}

func promises(ctx context.Context, node rueidis.Client) (promise, error) {
	var p promise
	set, err := node.Do(ctx, node.B().ConfigGet().Parameter("appendonly", "appendfsync", "maxmemory-policy", "maxmemory").Build()).AsStrMap()
	if err != nil {
		return p, fmt.Errorf("read its settings: %w", err)
	}
	p.log, p.sync, p.evict, p.memory = set["appendonly"], set["appendfsync"], set["maxmemory-policy"], set["maxmemory"]
	info, err := node.Do(ctx, node.B().Info().Section("replication", "persistence").Build()).ToString()
	if err != nil {
		return p, fmt.Errorf("read its replication: %w", err)
	}
	p.replica = strings.Contains(info, "role:slave")
	p.rewriting = strings.Contains(info, "aof_rewrite_in_progress:1") || strings.Contains(info, "aof_rewrite_scheduled:1")
	for _, line := range strings.Fields(info) {
		if n, ok := strings.CutPrefix(line, "connected_slaves:"); ok {
			_, err = fmt.Sscan(n, &p.replicas)
		}
	}
	return p, err
}

// losses says what may be lost that was acknowledged, and by what.
func (p promise) losses(o Options) []string {
	var all []string
	if p.evict != "noeviction" {
		all = append(all, fmt.Sprintf("maxmemory-policy is %s: a full Redis forgets articles (set noeviction)", p.evict))
	}
	if loss := p.unlogged(); loss != "" {
		all = append(all, loss)
	}
	if p.replicas > 0 && o.Replicas < p.replicas {
		all = append(all, fmt.Sprintf("%d replicas, answers wait for %d: a failover loses what had not arrived (--replicas)", p.replicas, o.Replicas))
	}
	return all
}

// unlogged says what of it is not in its log once it is answered; "" if nothing.
func (p promise) unlogged() string {
	switch {
	case p.log != "yes":
		return "appendonly is no: a restart loses everything since the last snapshot"
	case p.sync != "always":
		return fmt.Sprintf("appendfsync is %s: a power failure loses the last second or more (set always)", p.sync)
	}
	return ""
}

// accept refuses a server that may lose what it acknowledged.
func (p promise) accept(o Options) error {
	if losses := p.losses(o); len(losses) > 0 && !o.AcceptLoss {
		return fmt.Errorf("%w: Redis may lose acknowledged answers: %s; --accept-loss takes it as it is", docid.ErrInvalid, strings.Join(losses, "; "))
	}
	return nil
}
