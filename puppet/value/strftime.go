package value

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Strftime is Ruby's Time#strftime, with its flags (- 0 ^ # _ :) and widths. An unknown directive is left as it is.
func Strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		start := i
		i++
		d := directive{colons: 0, width: -1}
		for ; i < len(format); i++ {
			switch c := format[i]; {
			case c == '-':
				d.pad, d.noPad = 0, true
			case c == '0' && d.width < 0:
				d.pad = '0'
			case c == '_':
				d.pad = ' '
			case c == '^':
				d.upper = true
			case c == '#':
				d.swap = true
			case c == ':':
				d.colons++
			case isDigit(c):
				if d.width < 0 {
					d.width = 0
				}
				d.width = min(d.width*10+int(c-'0'), 1000)
			case c == 'E' || c == 'O':
			default:
				goto found
			}
		}
		b.WriteString(format[start:])
		break
	found:
		s, ok := d.write(format[i], t)
		if !ok {
			s = format[start : i+1]
		}
		b.WriteString(s)
	}
	return b.String()
}

type directive struct {
	pad         byte
	noPad       bool
	upper, swap bool
	colons      int
	width       int
}

func (d *directive) num(n int64, width int, pad byte) string {
	if d.noPad {
		return strconv.FormatInt(n, 10)
	}
	if d.pad != 0 {
		pad = d.pad
	}
	if d.width >= 0 {
		width = d.width
	}
	if pad == '0' {
		return fmt.Sprintf("%0*d", width, n)
	}
	return fmt.Sprintf("%*d", width, n)
}

func (d *directive) text(s string) string {
	if d.upper {
		s = strings.ToUpper(s)
	}
	if d.swap {
		if s == strings.ToUpper(s) {
			s = strings.ToLower(s)
		} else {
			s = strings.ToUpper(s)
		}
	}
	if d.width > len(s) && !d.noPad {
		pad := " "
		if d.pad == '0' {
			pad = "0"
		}
		s = strings.Repeat(pad, d.width-len(s)) + s
	}
	return s
}

func (d *directive) write(c byte, t time.Time) (string, bool) {
	switch c {
	case 'Y':
		return d.num(int64(t.Year()), yearWidth(t.Year()), '0'), true
	case 'C':
		return d.num(floorDiv(int64(t.Year()), 100), 2, '0'), true
	case 'y':
		return d.num(floorMod(int64(t.Year()), 100), 2, '0'), true
	case 'm':
		return d.num(int64(t.Month()), 2, '0'), true
	case 'B':
		return d.text(t.Month().String()), true
	case 'b', 'h':
		return d.text(t.Month().String()[:3]), true
	case 'd':
		return d.num(int64(t.Day()), 2, '0'), true
	case 'e':
		return d.num(int64(t.Day()), 2, ' '), true
	case 'j':
		return d.num(int64(t.YearDay()), 3, '0'), true
	case 'H':
		return d.num(int64(t.Hour()), 2, '0'), true
	case 'k':
		return d.num(int64(t.Hour()), 2, ' '), true
	case 'I':
		return d.num(int64(hour12(t)), 2, '0'), true
	case 'l':
		return d.num(int64(hour12(t)), 2, ' '), true
	case 'P', 'p':
		s := "am"
		if t.Hour() >= 12 {
			s = "pm"
		}
		if c == 'p' && !d.swap {
			s = strings.ToUpper(s)
		}
		d.swap = false
		return d.text(s), true
	case 'M':
		return d.num(int64(t.Minute()), 2, '0'), true
	case 'S':
		return d.num(int64(t.Second()), 2, '0'), true
	case 'L', 'N':
		w := 9
		if c == 'L' {
			w = 3
		}
		if d.width > 0 {
			w = d.width
		}
		s := fmt.Sprintf("%09d", t.Nanosecond())
		if w <= 9 {
			return s[:w], true
		}
		return s + strings.Repeat("0", w-9), true
	case 'z':
		return d.zone(t), true
	case 'Z':
		name, off := t.Zone()
		if name == "" && off != 0 {
			return d.text(""), true
		}
		if t.Location() == time.UTC {
			name = "UTC"
		}
		return d.text(name), true
	case 'A':
		return d.text(t.Weekday().String()), true
	case 'a':
		return d.text(t.Weekday().String()[:3]), true
	case 'u':
		w := int64(t.Weekday())
		if w == 0 {
			w = 7
		}
		return d.num(w, 1, '0'), true
	case 'w':
		return d.num(int64(t.Weekday()), 1, '0'), true
	case 'G':
		y, _ := t.ISOWeek()
		return d.num(int64(y), 4, '0'), true
	case 'g':
		y, _ := t.ISOWeek()
		return d.num(floorMod(int64(y), 100), 2, '0'), true
	case 'V':
		_, w := t.ISOWeek()
		return d.num(int64(w), 2, '0'), true
	case 'U':
		return d.num(int64((t.YearDay()+6-int(t.Weekday()))/7), 2, '0'), true
	case 'W':
		return d.num(int64((t.YearDay()+6-(int(t.Weekday())+6)%7)/7), 2, '0'), true
	case 's':
		return d.num(t.Unix(), 1, '0'), true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case '%':
		return "%", true
	case 'c':
		return d.text(Strftime("%a %b %e %H:%M:%S %Y", t)), true
	case 'D', 'x':
		return d.text(Strftime("%m/%d/%y", t)), true
	case 'F':
		return d.text(Strftime("%Y-%m-%d", t)), true
	case 'v':
		return d.text(Strftime("%e-%^b-%Y", t)), true
	case 'r':
		return d.text(Strftime("%I:%M:%S %p", t)), true
	case 'R':
		return d.text(Strftime("%H:%M", t)), true
	case 'T', 'X':
		return d.text(Strftime("%H:%M:%S", t)), true
	}
	return "", false
}

func yearWidth(y int) int {
	if y < 0 {
		return 5
	}
	return 4
}

func hour12(t time.Time) int {
	if h := t.Hour() % 12; h != 0 {
		return h
	}
	return 12
}

func (d *directive) zone(t time.Time) string {
	_, off := t.Zone()
	sign := "+"
	if off < 0 {
		sign, off = "-", -off
	}
	h, m, s := off/3600, off/60%60, off%60
	hh := fmt.Sprintf("%02d", h)
	var rest string
	switch d.colons {
	case 0:
		rest = fmt.Sprintf("%02d", m)
	case 1:
		rest = fmt.Sprintf(":%02d", m)
	default:
		rest = fmt.Sprintf(":%02d:%02d", m, s)
	}
	if pad := d.width - 1 - len(rest) - len(hh); pad > 0 {
		hh = strings.Repeat("0", pad) + hh
	}
	return sign + hh + rest
}
