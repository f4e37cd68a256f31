package value

import (
	"strings"
	"time"
)

// A parsedTime is what Strptime found; only what the format names is set.
type parsedTime struct {
	year, mon, day, hour, min, sec int
	nsec                           int64
	zone                           string
	hasYear, hasZone, leftover     bool
	pm, hasMeridian                bool
	century                        int
	hasCentury, shortYear          bool
}

// Strptime reads a time as Ruby's DateTime._strptime does. ok is false when s does not fit the format; text behind the
// last directive is reported as leftover.
func Strptime(s, format string) (p *parsedTime, ok bool) {
	p = &parsedTime{}
	rest, ok := p.scan(s, format)
	if !ok {
		return nil, false
	}
	p.leftover = rest != ""
	if p.hasMeridian {
		p.hour = p.hour % 12
		if p.pm {
			p.hour += 12
		}
	}
	if p.hasCentury && p.shortYear {
		p.year = p.century*100 + p.year%100
	}
	return p, true
}

func (p *parsedTime) scan(s, format string) (rest string, ok bool) {
	num := func(maxDigits int, signed bool) (int64, bool) {
		i, neg := 0, false
		if signed && i < len(s) && (s[i] == '-' || s[i] == '+') {
			neg = s[i] == '-'
			i++
		}
		start := i
		n := int64(0)
		for i < len(s) && isDigit(s[i]) && i-start < maxDigits {
			n = n*10 + int64(s[i]-'0')
			i++
		}
		if i == start {
			return 0, false
		}
		s = s[i:]
		if neg {
			n = -n
		}
		return n, true
	}
	field := func(dst *int, digits, lo, hi int) bool {
		n, ok := num(digits, false)
		if !ok || int(n) < lo || int(n) > hi {
			return false
		}
		*dst = int(n)
		return true
	}
	for i := 0; i < len(format); i++ {
		c := format[i]
		if strings.IndexByte(" \t\n\v\f\r", c) >= 0 {
			s = strings.TrimLeft(s, " \t\n\v\f\r")
			continue
		}
		if c != '%' || i+1 == len(format) {
			if s == "" || s[0] != c {
				return s, false
			}
			s = s[1:]
			continue
		}
		i++
		for i < len(format)-1 && (format[i] == 'E' || format[i] == 'O' || format[i] == '-' || format[i] == ':' ||
			format[i] == '0' || format[i] == '^' || format[i] == '_' || format[i] == '#') {
			i++
		}
		ok := true
		// A number directly followed by another number takes only its own width.
		tight := i+1 < len(format) && (isDigit(format[i+1]) || format[i+1] == '%' && i+2 < len(format) &&
			strings.IndexByte("CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy", format[i+2]) >= 0)
		switch format[i] {
		case 'Y':
			digits := 18
			if tight {
				digits = 4
			}
			var n int64
			n, ok = num(digits, true)
			p.year, p.hasYear, p.shortYear = int(n), true, false
		case 'C':
			var n int64
			digits := 18
			if tight {
				digits = 2
			}
			n, ok = num(digits, true)
			p.century, p.hasCentury = int(n), true
		case 'y':
			ok = field(&p.year, 2, 0, 99)
			p.shortYear = true
			if !p.hasYear && p.year < 69 {
				p.year += 2000
			} else if !p.hasYear {
				p.year += 1900
			}
			p.hasYear = true
		case 'm':
			ok = field(&p.mon, 2, 1, 12)
		case 'B', 'b', 'h':
			ok = false
			for m := time.January; m <= time.December; m++ {
				full := m.String()
				for _, name := range [...]string{full, full[:3]} {
					if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
						p.mon, s, ok = int(m), s[len(name):], true
						break
					}
				}
				if ok {
					break
				}
			}
		case 'd', 'e':
			s = strings.TrimPrefix(s, " ")
			ok = field(&p.day, 2, 1, 31)
		case 'j':
			var n int64
			n, ok = num(3, false)
			ok = ok && n > 0 && n <= 366 // Puppet makes nothing of the day of the year
		case 'H', 'k':
			s = strings.TrimPrefix(s, " ")
			ok = field(&p.hour, 2, 0, 24)
		case 'I', 'l':
			s = strings.TrimPrefix(s, " ")
			ok = field(&p.hour, 2, 1, 12)
		case 'P', 'p':
			up := strings.ToUpper(s)
			ok = false
			for _, m := range [...]string{"AM", "PM", "A.M.", "P.M."} {
				if strings.HasPrefix(up, m) {
					p.hasMeridian, p.pm, s, ok = true, m[0] == 'P', s[len(m):], true
					break
				}
			}
		case 'M':
			ok = field(&p.min, 2, 0, 59)
		case 'S':
			ok = field(&p.sec, 2, 0, 60)
		case 'L', 'N':
			limit := len(s)
			if tight {
				limit = 3
				if format[i] == 'N' {
					limit = 9
				}
			}
			n, scale := int64(0), int64(nsSec)
			j := 0
			for j < len(s) && j < limit && isDigit(s[j]) {
				if scale > 1 {
					scale /= 10
					n += int64(s[j]-'0') * scale
				}
				j++
			}
			ok = j > 0
			s = s[j:]
			p.nsec = n
		case 'Z', 'z':
			n, _, found := scanZone(s)
			if ok = found; ok {
				p.zone, p.hasZone, s = s[:n], true, s[n:]
			}
		case 'A', 'a':
			ok = false
			for d := time.Sunday; d <= time.Saturday && !ok; d++ {
				full := d.String()
				for _, name := range [...]string{full, full[:3]} {
					if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
						s, ok = s[len(name):], true
						break
					}
				}
			}
		case 'u', 'w':
			var n int
			ok = field(&n, 1, 0, 7)
		case 's', 'Q':
			_, ok = num(18, true) // nor of seconds since 1970
		case 'n', 't':
			s = strings.TrimLeft(s, " \t\n\v\f\r")
		case '%':
			ok = strings.HasPrefix(s, "%")
			s = strings.TrimPrefix(s, "%")
		case 'F':
			s, ok = p.scan(s, "%Y-%m-%d")
		case 'T', 'X':
			s, ok = p.scan(s, "%H:%M:%S")
		case 'R':
			s, ok = p.scan(s, "%H:%M")
		case 'r':
			s, ok = p.scan(s, "%I:%M:%S %p")
		case 'D', 'x':
			s, ok = p.scan(s, "%m/%d/%y")
		case 'c':
			s, ok = p.scan(s, "%a %b %e %H:%M:%S %Y")
		case 'v':
			s, ok = p.scan(s, "%e-%b-%Y")
		case '+':
			s, ok = p.scan(s, "%a %b %e %H:%M:%S %Z %Y")
		case 'G', 'g', 'V', 'U', 'W':
			_, ok = num(4, false)
		default:
			lit := format[i-1 : i+1]
			ok = strings.HasPrefix(s, lit)
			s = strings.TrimPrefix(s, lit)
		}
		if !ok {
			return s, false
		}
	}
	return s, true
}
