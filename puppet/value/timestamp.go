package value

import (
	"fmt"
	"strings"
	"time"
)

// Timestamp is a moment: seconds since 1970 and nanoseconds within the second.
type Timestamp struct {
	Sec  int64
	Nsec int32
}

// TimestampOf is the moment of a Go time.
func TimestampOf(t time.Time) Timestamp { return Timestamp{t.Unix(), int32(t.Nanosecond())} }

// Time is the moment as a Go time in UTC.
func (t Timestamp) Time() time.Time { return time.Unix(t.Sec, int64(t.Nsec)).UTC() }

// Float is the moment in seconds since 1970.
func (t Timestamp) Float() float64 { return float64(t.Sec) + float64(t.Nsec)/nsSec }

// Add moves the moment by a span.
func (t Timestamp) Add(d Timespan) Timestamp { return t.addNanos(int64(d)) }

func (t Timestamp) addNanos(ns int64) Timestamp {
	n := int64(t.Nsec) + floorMod(ns, nsSec)
	return Timestamp{t.Sec + floorDiv(ns, nsSec) + n/nsSec, int32(n % nsSec)}
}

// Sub is the span between two moments.
func (t Timestamp) Sub(o Timestamp) Timespan {
	return Timespan((t.Sec-o.Sec)*nsSec + int64(t.Nsec-o.Nsec))
}

// String is the moment in its default form, 2016-01-02T03:04:05.000000000 UTC.
func (t Timestamp) String() string { return Strftime("%FT%T.%N %Z", t.Time()) }

// Format writes the moment by a strftime format, in the given zone ("" for UTC).
func (t Timestamp) Format(format, zone string) (string, error) {
	tm := t.Time()
	if zone != "" {
		off, err := zoneOffset(zone)
		if err != nil {
			return "", err
		}
		tm = tm.In(time.FixedZone("", off))
	}
	return Strftime(format, tm), nil
}

// TimestampFromSeconds makes a moment of a number of seconds since 1970.
func TimestampFromSeconds(v Value) Timestamp {
	switch v := v.(type) {
	case Int:
		return Timestamp{Sec: int64(v)}
	case Float:
		return Timestamp{}.addNanos(int64(float64(v) * nsSec))
	}
	return Timestamp{}
}

// Forms in which a moment is read when no format is given.
var (
	stampFormatsNoZone = []string{"%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"}
	stampFormats       = append([]string{"%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z"},
		stampFormatsNoZone...)
)

// ParseTimestamp reads a moment. Without formats the default ones are tried; list says that formats are alternatives,
// not the one format. zone may be "".
func ParseTimestamp(s string, formats []string, list bool, zone string) (Timestamp, error) {
	if formats == nil {
		list = true
		formats = stampFormats
		if zone != "" {
			formats = stampFormatsNoZone
		}
	}
	var p *parsedTime
	if list {
		for _, f := range formats {
			q, ok := Strptime(s, f)
			if ok && !q.leftover && (zone == "" || !q.hasZone) {
				p = q
				break
			}
		}
		if p == nil {
			return Timestamp{}, fmt.Errorf("Unable to parse '%s' using any of the formats %s", s, strings.Join(formats, ", "))
		}
	} else {
		q, ok := Strptime(s, formats[0])
		if !ok || q.leftover {
			return Timestamp{}, fmt.Errorf("Unable to parse '%s' using format '%s'", s, formats[0])
		}
		if zone != "" && q.hasZone {
			return Timestamp{},
				fmt.Errorf("Using a Timezone designator in format specification is mutually exclusive to providing an explicit " +
					"timezone argument")
		}
		p = q
	}
	if zone == "" && p.hasZone {
		zone = p.zone
	}
	if !p.hasYear {
		return Timestamp{}, fmt.Errorf("no implicit conversion of nil into Integer")
	}
	mon, day := p.mon, p.day
	if mon == 0 {
		mon = 1
	}
	if day == 0 {
		day = 1
	}
	if mon > 12 || day > 31 || p.hour > 24 || p.min > 59 || p.sec > 60 {
		return Timestamp{}, fmt.Errorf("argument out of range")
	}
	t := time.Date(p.year, time.Month(mon), day, p.hour, p.min, p.sec, int(p.nsec), time.UTC)
	if zone != "" {
		off, err := zoneOffset(zone)
		if err != nil {
			return Timestamp{}, err
		}
		t = t.Add(-time.Duration(off) * time.Second)
	}
	return TimestampOf(t), nil
}

// zoneOffset is the number of seconds that a zone is ahead of UTC.
func zoneOffset(zone string) (int, error) {
	if EqualFoldASCII(zone, "current") {
		_, off := time.Now().Zone()
		return off, nil
	}
	if n, off, ok := scanZone(zone); ok && n == len(zone) {
		return off, nil
	}
	return 0, fmt.Errorf("Illegal timezone '%s'", zone)
}

// namedZones are the zone names that Ruby's date library knows and configurations use, in minutes.
var namedZones = map[string]int{"utc": 0, "gmt": 0, "z": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
	"mst": -420, "mdt": -360,
	"pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "ast": -240, "adt": -180, "nst": -210, "ndt": -150,
	"brt": -180,
	"wet": 0, "west": 60, "bst": 60, "cet": 60, "cest": 120, "met": 60, "mez": 60, "mest": 120, "mesz": 120, "eet": 120,
	"eest": 180,
	"sast": 120, "msk": 180, "msd": 240, "ist": 330, "sgt": 480, "hkt": 480, "jst": 540, "kst": 540, "nzst": 720,
	"nzdt": 780, "nzt": 720,
	"a": 60, "b": 120, "c": 180, "d": 240, "e": 300, "f": 360, "g": 420, "h": 480, "i": 540, "k": 600, "l": 660, "m": 720,
	"n": -60, "o": -120, "p": -180, "q": -240, "r": -300, "s": -360, "t": -420, "u": -480, "v": -540, "w": -600, "x": -660,
	"y": -720}

// scanZone reads a zone at the start of s: a name, or an offset such as +01:00, -0530, +2, UTC+3.
func scanZone(s string) (n, seconds int, ok bool) {
	i := 0
	for i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	word := strings.ToLower(s[:i])
	base := 0
	if i > 0 {
		min, known := namedZones[word]
		if !known {
			return 0, 0, false
		}
		base = min * 60
		if word != "utc" && word != "gmt" || i == len(s) || s[i] != '+' && s[i] != '-' {
			return i, base, true
		}
	}
	if i == len(s) || s[i] != '+' && s[i] != '-' {
		return 0, 0, false
	}
	sign := 1
	if s[i] == '-' {
		sign = -1
	}
	j := i + 1
	num := func(maxDigits int) (int, int) {
		v, c := 0, 0
		for j < len(s) && isDigit(s[j]) && c < maxDigits {
			v, c, j = v*10+int(s[j]-'0'), c+1, j+1
		}
		return v, c
	}
	h, c := num(2)
	if c == 0 {
		return 0, 0, false
	}
	m, sec := 0, 0
	if j < len(s) && s[j] == ':' {
		j++
		if m, c = num(2); c == 0 {
			return 0, 0, false
		}
		if j < len(s) && s[j] == ':' {
			j++
			sec, _ = num(2)
		}
	} else if j < len(s) && isDigit(s[j]) {
		m, _ = num(2)
		if j < len(s) && isDigit(s[j]) {
			sec, _ = num(2)
		}
	}
	return j, base + sign*(h*3600+m*60+sec), true
}
