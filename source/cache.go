package source

import (
	"slices"
	"sync"
)

// A Cache keeps what was made of contents: parsed manifests, data, templates. Keys are comparable values that hold a
// Digest and whatever else the result depends on, so that an entry is never wrong and any number of snapshots can share
// them. It keeps what the last snapshots used, and no more than a number of bytes, by the costs that its users tell.
type Cache struct {
	mu      sync.Mutex
	entries map[any]*entryOf
	bytes   int64
	limit   int64
	age     int
}

type entryOf struct {
	once  Once
	value any
	cost  int64
	used  int // the age at which it was last asked for
}

const (
	cacheBytes = 1 << 30 // by default
	cacheAges  = 8       // an entry that so many snapshots did not want is forgotten
)

// NewCache makes a cache of at most so many bytes; 0 for a limit that no site of ours comes near.
func NewCache(limit int64) *Cache {
	if limit == 0 {
		limit = cacheBytes
	}
	return &Cache{entries: map[any]*entryOf{}, limit: limit}
}

// Get is the value of a key, made at the first question. Its cost is about how many bytes it takes.
func (c *Cache) Get(key any, cost int64, make func() any) any {
	c.mu.Lock()
	e := c.entries[key]
	if e == nil {
		e = &entryOf{cost: cost}
		c.entries[key] = e
		c.bytes += cost
	}
	e.used = c.age
	if c.bytes > c.limit {
		c.shrink()
	}
	c.mu.Unlock()
	e.once.Do(func() { e.value = make() })
	return e.value
}

// Grow is a new snapshot.
func (c *Cache) Grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.age++
	for key, e := range c.entries {
		if e.used < c.age-cacheAges {
			c.drop(key, e)
		}
	}
}

// Bytes is about how much it holds.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// shrink forgets the oldest entries until a quarter of the room is free.
func (c *Cache) shrink() {
	keys := make([]any, 0, len(c.entries))
	for key := range c.entries {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b any) int { return c.entries[a].used - c.entries[b].used })
	for _, key := range keys {
		if c.bytes <= c.limit/4*3 {
			return
		}
		c.drop(key, c.entries[key])
	}
}

func (c *Cache) drop(key any, e *entryOf) {
	delete(c.entries, key)
	c.bytes -= e.cost
}
