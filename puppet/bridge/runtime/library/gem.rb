# Versions as RubyGems orders them.

module Gem
  # A version: segments of numbers and words.
  class Version
    include Comparable

    PATTERN = /\A\s*([0-9]+(?>\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?)?\s*\z/.freeze

    def self.correct?(text) = text.nil? ? false : text.to_s.match?(PATTERN)

    def self.create(given)
      return given if given.nil? || given.is_a?(Version)

      new(given)
    end

    attr_reader :version
    alias to_s version

    def initialize(text)
      raise ArgumentError, "Malformed version number string #{text}" unless self.class.correct?(text)

      text = '0' if text.is_a?(String) && text.match?(/\A\s*\Z/)
      @version = text.to_s.strip.gsub('-', '.pre.')
    end

    def segments = @version.scan(/[0-9]+|[a-z]+/i).map { |s| s.match?(/\A\d+\z/) ? s.to_i : s }
    def prerelease? = @version.match?(/[a-zA-Z]/)

    def canonical
      words = segments
      cut = words.index { |s| s.is_a?(String) }
      parts = cut ? [words[0...cut], words[cut..]] : [words]
      parts.map { |p| p.reverse.drop_while { |s| s == 0 }.reverse }.reduce(:+)
    end

    def release
      return self unless prerelease?

      words = segments
      words.pop while words.any? { |s| s.is_a?(String) }
      self.class.new(words.join('.'))
    end

    def bump
      words = segments
      words.pop while words.any? { |s| s.is_a?(String) }
      words.pop if words.size > 1
      words[-1] = words[-1].succ
      self.class.new(words.join('.'))
    end

    def <=>(other)
      return self <=> self.class.new(other) if other.is_a?(String) && self.class.correct?(other)
      return nil unless other.is_a?(Version)

      mine = canonical
      theirs = other.canonical
      (0...[mine.size, theirs.size].max).each do |i|
        a = mine[i] || 0
        b = theirs[i] || 0
        next if a == b
        return -1 if a.is_a?(String) && b.is_a?(Numeric)
        return 1 if a.is_a?(Numeric) && b.is_a?(String)

        return a <=> b
      end
      0
    end

    def eql?(other) = other.is_a?(Version) && version == other.version
    def hash = canonical.hash
    def inspect = "#<Gem::Version #{version.inspect}>"
  end

  # What a version must be.
  class Requirement
    OPERATORS = {
      '=' => ->(v, r) { v == r }, '!=' => ->(v, r) { v != r }, '>' => ->(v, r) { v > r }, '<' => ->(v, r) { v < r },
      '>=' => ->(v, r) { v >= r }, '<=' => ->(v, r) { v <= r }, '~>' => ->(v, r) { v >= r && v.release < r.bump }
    }.freeze

    def self.create(*given) = new(*given)

    def initialize(*given)
      given = given.flatten.compact
      given = ['>= 0'] if given.empty?
      @requirements = given.map do |text|
        m = /\A\s*(=|!=|>=|<=|~>|>|<)?\s*([0-9][0-9A-Za-z.\-]*)\s*\z/.match(text.to_s)
        raise ArgumentError, "Illformed requirement [#{text.inspect}]" unless m

        [m[1] || '=', Version.new(m[2])]
      end
    end

    def satisfied_by?(version) = @requirements.all? { |op, r| OPERATORS[op].call(version, r) }
    alias === satisfied_by?
    alias =~ satisfied_by?
    def to_s = @requirements.map { |op, v| "#{op} #{v}" }.join(', ')
  end

  # A name and what its version must be.
  class Dependency
    attr_reader :name, :requirement

    def initialize(name, *requirements)
      @name = name
      @requirement = Requirement.new(*requirements)
    end

    def match?(_name, version, *) = @requirement.satisfied_by?(Version.create(version))
  end
end
