# How values travel. Plain data is JSON; the rest is an object with the key __ptype, as in Puppet's rich data.

module Bunraku
  module Wire
    INTEGERS = (-(2**63)..(2**63 - 1)).freeze

    module_function

    def encode(v)
      case v
      when nil, true, false then v
      when Integer then INTEGERS.cover?(v) ? v : rich('BigInteger', (v.negative? ? '-0x' : '0x') + v.abs.to_s(16))
      when Float then v.finite? ? v : rich('Float', v.to_s)
      when String then text(v)
      when Symbol then symbol(v)
      when Array then v.map { |e| encode(e) }
      when Hash then hash(v)
      when Regexp then rich('Regexp', v.options.zero? ? v.source : v.to_s)
      when Puppet::Pops::Types::PSensitiveType::Sensitive then { '__ptype' => 'Sensitive', '__pvalue' => encode(v.unwrap) }
      when Puppet::Pops::Types::PAnyType then rich('Type', v.bunraku_text)
      when Puppet::Pops::Types::PBinaryType::Binary then rich('Binary', v.to_s)
      when Puppet::Pops::Time::TimeData then rich(v.class.name.split('::').last, v.nsecs)
      when SemanticPuppet::Version then rich('SemVer', v.to_s)
      when SemanticPuppet::VersionRange then rich('SemVerRange', v.to_s)
      when URI::Generic then rich('URI', v.to_s)
      when Puppet::DataTypes::Deferred then { '__ptype' => 'Deferred', 'name' => v.name, 'arguments' => encode(v.arguments) }
      when Puppet::Resource then rich('Reference', [v.type, v.title])
      when Puppet::Pops::Types::Iterable then v.to_a.map { |e| encode(e) }
      else { '__ptype' => 'Ruby', '__pvalue' => v.class.name.to_s, 'text' => text(v.to_s) }
      end
    end

    def rich(type, value) = { '__ptype' => type, '__pvalue' => value }

    def symbol(v)
      case v
      when :undef then nil
      when :default then { '__ptype' => 'Default' }
      else text(v.to_s)
      end
    end

    def text(s)
      s = String.new(s) unless s.instance_of?(String)
      return s if s.encoding == Encoding::UTF_8 && s.valid_encoding?

      begin
        return s.encode(Encoding::UTF_8) unless [Encoding::UTF_8, Encoding::ASCII_8BIT].include?(s.encoding)
      rescue EncodingError
        # then they are bytes
      end
      as_utf8 = s.dup.force_encoding(Encoding::UTF_8)
      as_utf8.valid_encoding? ? as_utf8 : rich('Bytes', [s].pack('m0'))
    end

    def hash(h)
      plain = h.all? { |k, _| k.is_a?(String) && k != '__ptype' && k.valid_encoding? }
      return h.to_h { |k, v| [text(k), encode(v)] } if plain

      { '__ptype' => 'Hash', '__pvalue' => h.flat_map { |k, v| [encode(k), encode(v)] } }
    end

    def decode(v)
      case v
      when Array then v.map { |e| decode(e) }
      when Hash then v.key?('__ptype') ? decode_rich(v) : v.transform_values { |e| decode(e) }
      else v
      end
    end

    def decode_rich(h)
      value = h['__pvalue']
      case h['__ptype']
      when 'Default' then :default
      when 'Hash' then value.each_slice(2).to_h { |k, v| [decode(k), decode(v)] }
      when 'Float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY }.fetch(value, -Float::INFINITY)
      when 'Bytes' then value.unpack1('m').force_encoding(Encoding::UTF_8)
      when 'Regexp' then Regexp.new(value)
      when 'Sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(decode(value))
      when 'Type' then Puppet::Pops::Types.of(value, h)
      when 'Binary' then Puppet::Pops::Types::PBinaryType::Binary.from_base64(value)
      when 'Timestamp' then Puppet::Pops::Time::Timestamp.new(value, h['text'])
      when 'Timespan' then Puppet::Pops::Time::Timespan.new(value, h['text'])
      when 'SemVer' then SemanticPuppet::Version.parse(value)
      when 'SemVerRange' then SemanticPuppet::VersionRange.parse(value)
      when 'URI' then URI.parse(value)
      when 'Deferred' then Puppet::DataTypes::Deferred.new(h['name'], decode(h['arguments']))
      when 'Iterator' then Puppet::Pops::Types::Iterable.new(decode(value))
      else Puppet::Pops::Types::PuppetObject.new(h['__ptype'], decode(h['attributes']))
      end
    end
  end
end
