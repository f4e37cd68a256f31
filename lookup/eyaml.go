package lookup

func (inv *invocation) askEyaml(lv *level, loc *location, root string) (item, bool, error) {
	return inv.unknown(lv, root)
}
