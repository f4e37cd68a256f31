# The library uri, as far as it looks at texts.

module URI
  class Error < StandardError; end
  class InvalidURIError < Error; end
  class InvalidComponentError < Error; end
  class BadURIError < Error; end

  SCHEME = /\A([A-Za-z][A-Za-z0-9+\-.]*):/.freeze
  BAD = %r{[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})}.freeze
  PORTS = { 'http' => 80, 'https' => 443, 'ftp' => 21, 'ldap' => 389, 'ldaps' => 636, 'ws' => 80, 'wss' => 443 }.freeze

  # A URI and its parts.
  class Generic
    include Comparable

    DEFAULT_PORT = nil
    COMPONENT = %i[scheme userinfo host port registry path opaque query fragment].freeze

    attr_reader :scheme, :host, :path, :opaque, :query, :fragment

    def self.default_port = self::DEFAULT_PORT
    def self.component = self::COMPONENT

    def self.build(args)
      raise ArgumentError, "expected Array of or Hash of components of #{self} (#{component.join(', ')})" unless args.is_a?(Hash)

      new(args[:scheme] || name.split('::').last.downcase.sub(/\Ageneric\z/, ''), args[:userinfo], args[:host], args[:port], nil, args[:path] || '', args[:opaque], args[:query], args[:fragment])
    end

    def initialize(scheme, userinfo, host, port, _registry, path, opaque, query, fragment, *)
      @scheme = scheme && !scheme.empty? ? scheme.downcase : nil
      @user, @password = userinfo&.split(':', 2)
      @userinfo = userinfo
      @host = host
      @port = port ? port.to_i : default_port
      @path = path
      @opaque = opaque
      @query = query
      @fragment = fragment
    end

    attr_reader :user, :password, :port, :userinfo

    def default_port = self.class.default_port
    def registry = nil
    def hostname = @host&.start_with?('[') && @host.end_with?(']') ? @host[1..-2] : @host
    def absolute? = !@scheme.nil?
    alias absolute absolute?
    def relative? = !absolute?
    def hierarchical? = @opaque.nil?
    def request_uri = (@path.empty? ? '/' : @path) + (@query ? "?#{@query}" : '')

    def scheme=(v)
      @scheme = v&.downcase
    end

    def host=(v)
      @host = v
    end

    def hostname=(v)
      @host = v.include?(':') && !v.start_with?('[') ? "[#{v}]" : v
    end

    def port=(v)
      @port = v&.to_i
    end

    def path=(v)
      @path = v
    end

    def query=(v)
      @query = v
    end

    def fragment=(v)
      @fragment = v
    end

    def user=(v)
      @user = v
      @userinfo = @password ? "#{v}:#{@password}" : v
    end

    def password=(v)
      @password = v
      @userinfo = "#{@user}:#{v}"
    end

    def userinfo=(v)
      @userinfo = v
      @user, @password = v&.split(':', 2)
    end

    def to_s
      text = +''
      text << "#{@scheme}:" if @scheme
      return text << @opaque << (@fragment ? "##{@fragment}" : '') if @opaque

      text << '//' if @host || %w[file postgres].include?(@scheme)
      text << "#{@userinfo}@" if @userinfo
      text << @host if @host
      text << ":#{@port}" if @port && @port != default_port
      text << '/' if @host && !@path.empty? && !@path.start_with?('/')
      text << @path
      text << "?#{@query}" if @query
      text << "##{@fragment}" if @fragment
      text
    end
    alias to_str to_s

    def inspect = "#<#{self.class} #{self}>"
    def ==(other) = other.is_a?(Generic) && normalize.to_s == other.normalize.to_s
    def eql?(other) = other.class == self.class && to_s == other.to_s
    def hash = to_s.hash

    def normalize
      other = dup
      other.path = '/' if @host && @path.empty?
      other.host = @host.downcase if @host
      other
    end

    def component = self.class.component
    def select(*names) = names.map { |n| send(n) }

    def merge(other)
      other = URI.parse(other.to_s)
      return other if other.absolute?
      raise BadURIError, 'both URI are relative' if relative?

      base = dup
      base.fragment = other.fragment
      if other.host
        base.userinfo = other.userinfo
        base.host = other.host
        base.port = other.port || default_port
        base.path = other.path
        base.query = other.query
      elsif other.path.empty?
        base.query = other.query if other.query
      else
        base.query = other.query
        base.path = other.path.start_with?('/') ? other.path : merged_path(other.path)
      end
      base
    end
    alias + merge

    private

    def merged_path(relative)
      parts = @path.split('/', -1)
      parts.pop
      relative.split('/', -1).each do |p|
        case p
        when '.' then nil
        when '..' then parts.pop if parts.size > 1
        else parts << p
        end
      end
      parts << '' if relative.end_with?('/.', '/..') || %w[. ..].include?(relative)
      joined = parts.join('/')
      joined.start_with?('/') ? joined : "/#{joined}"
    end
  end

  # What open-uri brings.
  module OpenRead
    def open(*) = Bunraku.refuse("the network (#{self})")
    def read(*) = Bunraku.refuse("the network (#{self})")
  end

  def self.open(uri, *) = Bunraku.refuse("the network (#{uri})")

  class HTTP < Generic
    include OpenRead
    DEFAULT_PORT = 80
    COMPONENT = %i[scheme userinfo host port path query fragment].freeze
  end

  class HTTPS < HTTP
    DEFAULT_PORT = 443
  end

  class FTP < Generic
    include OpenRead
    DEFAULT_PORT = 21
    COMPONENT = %i[scheme userinfo host port path typecode].freeze

    def path = @path.sub(%r{\A/}, '').sub(/\A%2F/i, '/')
  end

  # What looks for entries of a directory.
  class LDAP < Generic
    DEFAULT_PORT = 389
    COMPONENT = %i[scheme host port dn attributes scope filter extensions].freeze

    attr_reader :dn, :attributes, :scope, :filter, :extensions

    def self.build(*) = Bunraku.unsupported('URI::LDAP.build')

    def initialize(*)
      super
      raise InvalidURIError, 'bad LDAP URL' if @fragment || @path.nil?

      @dn = @path[1..]
      @attributes, @scope, @filter, @extensions = @query.to_s.split('?').map { |part| part.empty? ? nil : part }
    end

    def hierarchical? = false
  end

  class LDAPS < LDAP
    DEFAULT_PORT = 636
  end

  class File < Generic
    COMPONENT = %i[scheme host path].freeze

    def initialize(*)
      super
      @host ||= ''
    end
  end

  class MailTo < Generic; end

  KINDS = { 'http' => HTTP, 'https' => HTTPS, 'ftp' => FTP, 'ldap' => LDAP, 'ldaps' => LDAPS, 'file' => File, 'mailto' => MailTo }.freeze

  def self.parse(text)
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless text.respond_to?(:to_str)

    text = text.to_str
    raise InvalidURIError, "URI must be ascii only #{text.dump}" unless text.ascii_only?
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if text.match?(BAD) || text.count('#') > 1 || brackets?(text)

    new_of(*split(text), text)
  end

  # brackets? finds brackets where no address of IPv6 stands.
  def self.brackets?(text)
    authority = text[%r{\A(?:[A-Za-z][A-Za-z0-9+\-.]*:)?//([^/?#]*)}, 1]
    rest = authority ? text.sub(authority, '') : text
    rest.match?(/[\[\]]/) || (authority&.match?(/[\[\]]/) && !authority.match?(/(\A|@)\[[0-9A-Fa-f:.]+\](:\d*)?\z/))
  end

  def self.split(text)
    m = SCHEME.match(text)
    scheme = m && m[1]
    rest = m ? m.post_match : text
    rest, fragment = rest.split('#', 2)
    rest ||= ''
    if scheme && !rest.start_with?('/') && !rest.empty?
      return [scheme, nil, nil, nil, nil, nil, rest, nil, fragment] unless rest.start_with?('?')
    end
    rest, query = rest.split('?', 2)
    rest ||= ''
    userinfo = host = port = nil
    if rest.start_with?('//')
      authority, slash, path = rest[2..].partition('/')
      rest = slash + path
      at = authority.rindex('@')
      userinfo, authority = authority[0...at], authority[at + 1..] if at
      bracket = /\A(\[[^\]]*\])(?::(\d*))?\z/.match(authority)
      plain = /\A([^:]*)(?::(\d*))?\z/.match(authority)
      found = bracket || plain
      raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" unless found

      host, port = found[1], found[2]
      port = nil if port && port.empty?
      host = nil if host && host.empty?
    end
    raise InvalidURIError, "bad URI(is not URI?): #{text.inspect}" if scheme.nil? && host.nil? && rest[%r{\A[^/]*}].include?(':')

    [scheme, userinfo, host, port, nil, rest, nil, query, fragment]
  end

  def self.new_of(scheme, userinfo, host, port, registry, path, opaque, query, fragment, text)
    kind = KINDS[scheme&.downcase] || Generic
    Bunraku.unsupported("URI.parse of #{text.inspect}") if kind == MailTo || (opaque && kind != Generic)
    kind.new(scheme, userinfo, host, port, registry, path, opaque, query, fragment)
  end

  def self.join(first, *more) = more.inject(parse(first)) { |uri, text| uri.merge(text) }

  def self.encode_www_form(list, *)
    list.map do |key, value|
      if value.nil? then encode_www_form_component(key)
      elsif value.respond_to?(:to_ary)
        value.to_ary.map { |v| v.nil? ? encode_www_form_component(key) : "#{encode_www_form_component(key)}=#{encode_www_form_component(v)}" }.join('&')
      else "#{encode_www_form_component(key)}=#{encode_www_form_component(value)}"
      end
    end.join('&')
  end

  def self.decode_www_form(text, *) = text.split('&').map { |pair| pair.split('=', 2).map { |p| decode_www_form_component(p) } }
  def self.regexp(*) = Bunraku.unsupported('URI.regexp')
  def self.extract(*) = Bunraku.unsupported('URI.extract')
  def self.scheme_list = KINDS.transform_keys(&:upcase)

  # The parser of RFC 2396, which everybody uses to escape.
  class RFC2396_Parser
    UNSAFE = %r{[^\-_.!~*'()a-zA-Z\d;/?:@&=+$,\[\]]}.freeze

    def escape(text, unsafe = UNSAFE)
      unsafe = Regexp.new("[#{Regexp.quote(unsafe)}]") unless unsafe.is_a?(Regexp)
      text.gsub(unsafe) { |found| found.bytes.map { |b| format('%%%02X', b) }.join }
    end

    def unescape(text, escaped = /%[a-fA-F\d]{2}/) = text.gsub(/(?:#{escaped})+/) { |run| [run.delete('%')].pack('H*').force_encoding(text.encoding) }
    def parse(text) = URI.parse(text)
    def split(text) = URI.split(text)
    def make_regexp(*) = Bunraku.unsupported('URI.regexp')
    def regexp = Bunraku.unsupported('URI.regexp')
  end
  Parser = RFC2396_Parser
  DEFAULT_PARSER = RFC2396_Parser.new
end

module Kernel
  def URI(uri) = uri.is_a?(URI::Generic) ? uri : URI.parse(uri)
end
