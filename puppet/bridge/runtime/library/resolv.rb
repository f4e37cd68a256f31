# resolv, without a way to ask anybody: addresses and names as values. Whoever asks is refused.

class Resolv
  class ResolvError < StandardError; end
  class ResolvTimeout < Timeout::Error; end

  def self.asks = Bunraku.refuse('DNS (Resolv)')

  %i[new getaddress getaddresses each_address getname getnames each_name].each { |m| define_singleton_method(m) { |*| asks } }

  # What both kinds of addresses have.
  class Address
    attr_reader :address

    def self.inherited(kind)
      super
      kind.define_singleton_method(:create) do |arg|
        return arg if arg.is_a?(self)

        kind::Regex === arg ? new(kind.bytes(arg)) : kind.wrong(arg)
      end
    end

    def inspect = "#<#{self.class} #{self}>"
    def ==(other) = address == other.address
    alias eql? ==
    def hash = address.hash
  end

  class IPv4 < Address
    # A number without leading zeros, up to 255.
    Regex256 = /25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9]/.freeze
    Regex = /\A(#{Regex256})\.(#{Regex256})\.(#{Regex256})\.(#{Regex256})\z/.freeze

    def self.bytes(text) = text.split('.').map(&:to_i).pack('CCCC')
    def self.wrong(arg) = raise(ArgumentError, "cannot interpret as IPv4 address: #{arg.inspect}")

    def initialize(address)
      raise ArgumentError, 'IPv4 address must be a string' unless address.is_a?(String)
      raise ArgumentError, "IPv4 address expects 4 bytes but #{address.length} bytes" unless address.length == 4

      @address = address
    end

    def to_s = @address.unpack('CCCC').join('.')
    def to_name = DNS::Name.create("#{@address.unpack('CCCC').reverse.join('.')}.in-addr.arpa.")
  end

  class IPv6 < Address
    group = '[0-9A-Fa-f]{1,4}'
    some = "(?:#{group}(?::#{group})*)?"
    dots = '(\d+)\.(\d+)\.(\d+)\.(\d+)'
    Regex_8Hex = /\A(?:#{group}:){7}#{group}\z/.freeze
    Regex_CompressedHex = /\A(#{some})::(#{some})\z/.freeze
    Regex_6Hex4Dec = /\A((?:#{group}:){6,6})#{dots}\z/.freeze
    Regex_CompressedHex4Dec = /\A(#{some})::((?:#{group}:)*)#{dots}\z/.freeze
    Regex_8HexLinkLocal = /\A[Ff][Ee]80(?::#{group}){7}%[0-9A-Za-z\-]+\z/.freeze
    Regex_CompressedHexLinkLocal = /\A[Ff][Ee]80:(?:(#{some})::(#{some})|:(#{some}))?:#{group}%[0-9A-Za-z.\-]+\z/.freeze
    Regex = Regexp.union(Regex_8Hex, Regex_CompressedHex, Regex_6Hex4Dec, Regex_CompressedHex4Dec, Regex_8HexLinkLocal,
                         Regex_CompressedHexLinkLocal).freeze

    # bytes are those of a text; the groups that :: stands for are zero.
    def self.bytes(text)
      head, tail = text.split('::', 2).map { |part| groups(part) }
      head += [0] * (8 - head.size - tail.size) + tail if tail
      text.include?('%') || head.size != 8 ? wrong(text) : head.pack('n8')
    end

    def self.wrong(arg) = raise(ArgumentError, "#{arg.is_a?(String) ? 'not numeric' : 'cannot interpret as'} IPv6 address: #{arg.is_a?(String) ? arg : arg.inspect}")

    def self.groups(text)
      text.split(':').flat_map do |g|
        next [g.hex] unless g.include?('.')

        a, b, c, d = g.split('.').map(&:to_i)
        [a * 256 + b, c * 256 + d]
      end
    end

    def initialize(address)
      raise ArgumentError, 'IPv6 address must be 16 bytes' unless address.is_a?(String) && address.length == 16

      @address = address
    end

    # The first run of zeros is written as ::, even if it is a single one.
    def to_s
      text = format('%x:%x:%x:%x:%x:%x:%x:%x', *@address.unpack('nnnnnnnn'))
      text.sub!(/(^|:)0(:0)*(:|$)/, '::') unless text.sub!(/(^|:)0(:0)+(:|$)/, '::')
      text
    end

    def to_name = DNS::Name.create("#{@address.unpack1('H32').chars.reverse.join('.')}.ip6.arpa.")
  end

  # The questions that a server of names is asked, without a server.
  class DNS
    class Requester; end
    class DecodeError < StandardError; end
    class EncodeError < StandardError; end

    class Config
      class NXDomain < ResolvError; end
      class OtherResolvError < ResolvError; end
    end

    %i[new open].each { |m| define_singleton_method(m) { |*| Resolv.asks } }

    class Name
      def self.create(arg)
        return arg if arg.is_a?(Name)
        raise ArgumentError, "cannot interpret as DNS name: #{arg.inspect}" unless arg.is_a?(String)

        new(arg.split('.'), arg.end_with?('.'))
      end

      def initialize(labels, absolute = true)
        @labels = labels
        @absolute = absolute
      end

      def absolute? = @absolute
      def length = @labels.length
      def to_a = @labels
      def to_s = @labels.join('.')
      def inspect = "#<#{self.class}: #{self}#{'.' if @absolute}>"
      def ==(other) = other.is_a?(Name) && to_s.casecmp?(other.to_s) && @absolute == other.absolute?
      alias eql? ==
      def hash = to_s.downcase.hash
    end

    class Query; end

    class Resource < Query
      %i[NS CNAME SOA PTR HINFO MINFO MX TXT LOC ANY].each { |n| const_set(n, Class.new(Resource)) }

      module IN
        %i[NS CNAME SOA PTR HINFO MINFO MX TXT LOC ANY].each { |n| const_set(n, Class.new(Resource.const_get(n))) }
        %i[A AAAA SRV WKS].each { |n| const_set(n, Class.new(Resource)) }
      end
    end
  end

  class Hosts
    %i[new].each { |m| define_singleton_method(m) { |*| Resolv.asks } }
  end
end
