package sat

// An order gives the variables by how often they had a part in recent conflicts (VSIDS, Moskewicz and others, DAC
// 2001): a heap with the most active one on top.
type order struct {
	heap     []uint32
	at       []int32 // by variable: its place in the heap, or -1
	activity []float64
	step     float64 // what a part in the next conflict is worth
}

func (o *order) grow() {
	if o.step == 0 {
		o.step = 1
	}
	o.at = append(o.at, -1)
	o.activity = append(o.activity, 0)
}

func (o *order) len() int { return len(o.heap) }

// before breaks ties by number, so that the order is one.
func (o *order) before(x, y uint32) bool {
	if o.activity[x] != o.activity[y] {
		return o.activity[x] > o.activity[y]
	}
	return x < y
}

func (o *order) push(v uint32) {
	if o.at[v] >= 0 {
		return
	}
	o.at[v] = int32(len(o.heap))
	o.heap = append(o.heap, v)
	o.up(len(o.heap) - 1)
}

func (o *order) pop() uint32 {
	v := o.heap[0]
	o.at[v] = -1
	last := o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	if len(o.heap) > 0 {
		o.heap[0] = last
		o.at[last] = 0
		o.down(0)
	}
	return v
}

// bump notes a part in a conflict.
func (o *order) bump(v uint32) {
	o.activity[v] += o.step
	if o.activity[v] > 1e100 {
		for i := range o.activity {
			o.activity[i] *= 1e-100
		}
		o.step *= 1e-100
	}
	if o.at[v] >= 0 {
		o.up(int(o.at[v]))
	}
}

// decay makes what lies back count for less.
func (o *order) decay() { o.step /= 0.95 }

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 {
		p := (i - 1) / 2
		if !o.before(v, o.heap[p]) {
			break
		}
		o.heap[i] = o.heap[p]
		o.at[o.heap[i]] = int32(i)
		i = p
	}
	o.heap[i] = v
	o.at[v] = int32(i)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for {
		c := 2*i + 1
		if c >= len(o.heap) {
			break
		}
		if c+1 < len(o.heap) && o.before(o.heap[c+1], o.heap[c]) {
			c++
		}
		if !o.before(o.heap[c], v) {
			break
		}
		o.heap[i] = o.heap[c]
		o.at[o.heap[i]] = int32(i)
		i = c
	}
	o.heap[i] = v
	o.at[v] = int32(i)
}
