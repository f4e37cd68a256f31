package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Status is how far a run is.
type Status struct {
	Run
	Done int `json:"done"`
	// Rate is how many nodes are done in a second, lately; 0 if that is not known.
	Rate float64 `json:"nodes_per_second,omitempty"`
	// Workers are those that work on it, or would if they had what they lack.
	Workers []Worker `json:"workers"`
}

// rate is how many nodes are done in a second, given how long it was from the first to the last; 0 if that is not
// known: those that a worker takes together come back together, and say nothing by themselves.
func rate(done int, spent time.Duration) float64 {
	if done < 2 || spent < time.Second {
		return 0
	}
	return float64(done-1) / spent.Seconds()
}

// Left is how long it will take; 0 if that is not known.
func (s *Status) Left() time.Duration {
	if s.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(s.Nodes-s.Done) / s.Rate * float64(time.Second))
}

// Status tells of all runs, and of workers that wait for one.
func (c *Conn) Status(ctx context.Context) (runs []*Status, idle []Worker, err error) {
	err = c.patiently(ctx, func(ctx context.Context) error {
		runs, idle = nil, nil
		kv, err := c.bucket(ctx, runBucket, 0)
		if err != nil {
			return err
		}
		list, err := all[Run](ctx, kv)
		if err != nil {
			return err
		}
		if kv, err = c.bucket(ctx, workerBucket, gone); err != nil {
			return err
		}
		workers, err := all[Worker](ctx, kv)
		if err != nil {
			return err
		}
		slices.SortFunc(workers, func(a, b Worker) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(list, func(a, b Run) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) })
		for _, r := range list {
			st := &Status{Run: r}
			results, err := c.js.Stream(ctx, resultStream(r.ID))
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			info, err := results.Info(ctx, jetstream.WithSubjectFilter("bunraku.result."+r.ID+".*.0"))
			if err != nil {
				return err
			}
			st.Done = len(info.State.Subjects)
			st.Rate = rate(st.Done, info.State.LastTime.Sub(info.State.FirstTime))
			for _, w := range workers {
				if w.Run == r.ID {
					st.Workers = append(st.Workers, w)
				}
			}
			runs = append(runs, st)
		}
		for _, w := range workers {
			if !slices.ContainsFunc(runs, func(s *Status) bool { return s.ID == w.Run }) {
				idle = append(idle, w)
			}
		}
		return nil
	})
	return runs, idle, err
}
