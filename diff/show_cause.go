package diff

// causeText names the hunks of a cause.
func (p *printer) causeText(c *Cause, lead string) string { return "" }

// effectless lists the hunks that change nothing.
func (p *printer) effectless() {}
