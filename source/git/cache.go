package git

import (
	"container/list"
	"sync"
)

// A cache keeps what was used last, bounded in bytes.
type cache struct {
	mu    sync.Mutex
	max   int64
	bytes int64
	order *list.List // front: used last
	items map[cacheKey]*list.Element
}

// A cacheKey is an object by name, or what a pack has at an offset, or what a store's index has, or a converted text.
type cacheKey struct {
	kind   byte
	id     ID
	pack   *pack
	offset int64
	how    conversion
}

type cacheItem struct {
	key  cacheKey
	v    any
	size int64
}

// overhead is what an item costs beside its bytes.
const overhead = 200

func newCache(max int64) *cache {
	return &cache{max: max, order: list.New(), items: map[cacheKey]*list.Element{}}
}

func (c *cache) get(key cacheKey) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem).v, true
}

// put keeps v, which is size bytes large. What would take a quarter of the cache is not kept.
func (c *cache) put(key cacheKey, v any, size int64) {
	size += overhead
	if size > c.max/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[key]; ok {
		return
	}
	c.items[key] = c.order.PushFront(&cacheItem{key, v, size})
	for c.bytes += size; c.bytes > c.max; {
		last := c.order.Back()
		item := last.Value.(*cacheItem)
		c.order.Remove(last)
		delete(c.items, item.key)
		c.bytes -= item.size
	}
}

// forget lets go of what was read of a pack.
func (c *cache) forget(p *pack) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.items {
		if key.pack == p {
			c.order.Remove(e)
			delete(c.items, key)
			c.bytes -= e.Value.(*cacheItem).size
		}
	}
}
