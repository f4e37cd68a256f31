# What reading a resource type needs of Puppet and of Ruby's library, in the Ruby that package ruby runs. Declarations are kept and not acted on. Reading is
# the reader's side of it, in Go: library.go.

module Puppet
  PUPPETVERSION = Reading.version

  class ResourceError < Error; end
  class MissingCommand < Error; end

  class << self
    def version = PUPPETVERSION
    def features = Features
    def [](setting) = Reading.refuse("Puppet's setting #{setting}")

    %i[debug info notice warning warn err alert crit emerg deprecation_warning warn_once log_exception].each do |level|
      define_method(level) { |*_| nil }
    end
  end

  # Types are loaded on the server, which runs on a Unix.
  module Features
    class << self
      def posix? = true
      def microsoft_windows? = false
      def method_missing(name, *_) = Reading.refuse("Puppet.features.#{name}")
    end
  end

  module Util
    def self.absolute_path?(path, platform = nil)
      platform == :windows ? Reading.refuse('paths of Windows') : path.start_with?('/')
    end

    def absolute_path?(path, platform = nil) = Puppet::Util.absolute_path?(path, platform)

    module Platform
      class << self
        def windows? = false
        def default_paths = []
      end
    end

    module Package
      def self.versioncmp(a, b, ignore = false) = Reading.versioncmp(a.to_s, b.to_s)
      def versioncmp(a, b, ignore = false) = Reading.versioncmp(a.to_s, b.to_s)
    end
  end

  module Coercion
    def self.boolean(value)
      case value
      when true, :true, 'true', :yes, 'yes' then true
      when false, :false, 'false', :no, 'no' then false
      else raise ArgumentError, 'expected a boolean value'
      end
    end

    def self.boolean_values = %w[true false yes no]
  end

  # An attribute. Its value is made (munged) when it is first read, so that what cannot be made is no trouble unless it is needed.
  class Parameter
    class << self
      attr_reader :name, :required_features, :strings, :regexes, :aliases
      attr_accessor :metaparam, :type

      def begin(name, type)
        @name = name
        @type = type
        @strings = []
        @regexes = []
        @aliases = {}
        initvars
      end

      def initvars; end
      def value_collection = self
      def doc = ''
      def desc(*_) = nil
      def isnamevar = @isnamevar = true
      def isnamevar? = !!@isnamevar
      def isrequired = @required = true
      def required? = !!@required
      def required_features=(*list) = @required_features = list.flatten
      def nodefault = undef_method(:default)
      def munge(&block)
        @munges = true
        define_method(:unsafe_munge, &block)
      end

      def munges? = !!@munges
      def unmunge(&block) = define_method(:unsafe_unmunge, &block)
      def validate(&block) = define_method(:unsafe_validate, &block)

      def defaultto(value = nil, &block)
        block ? define_method(:default, &block) : define_method(:default) { value }
      end

      def sensitive(*_) = nil

      def newvalues(*names)
        names.each { |n| newvalue(n) }
      end

      def newvalue(name, options = {}, &block)
        list = name.is_a?(Regexp) ? @regexes : @strings
        list << (name.is_a?(Regexp) ? name : name.to_s.to_sym) unless list.include?(name.is_a?(Regexp) ? name : name.to_s.to_sym)
      end

      def aliasvalue(name, other) = @aliases[name.to_s] = other.to_s.to_sym

      def proxymethods(*names)
        names.each { |n| define_method(n) { |*args| @resource.send(n, *args) } }
      end

      # What is said of attributes elsewhere than in the catalog.
      def array_matching = @array_matching || :first
      def array_matching=(value)
        @array_matching = value.to_sym
      end
      def idempotent=(value); end
      def unmanaged=(value); end
      def retrieve=(value); end
      def boolean=(value); end
      def attributes=(value); end
      def event=(value); end
      def call=(value); end

      def declared_values = (@strings.map(&:to_s) + @regexes.map(&:inspect)).uniq
    end

    attr_accessor :resource, :parent, :raw, :trouble

    def initialize(resource: nil, **_)
      @resource = resource
    end

    def name = self.class.name
    def provider = @resource.provider
    def metaparam? = false
    def unsafe_munge(value) = choose(value)
    def unsafe_unmunge(value) = value
    def munge(value) = unsafe_munge(value)
    def unmunge(value) = unsafe_unmunge(value)
    def devfail(text) = raise(Puppet::DevError, text)
    def fail(*args) = raise(Puppet::Error, args.last.to_s)

    # The declared value that was meant.
    def choose(value)
      text = value.to_s
      return self.class.aliases[text] if self.class.aliases.key?(text)
      found = self.class.strings.find { |s| s.to_s == text }
      found.nil? ? value : found
    end

    def value = unmunge(made)
    def value=(value)
      @raw = value
      @made = nil
    end

    def made
      Reading.refuse(@trouble) if @trouble
      @made ||= [munge(@raw)]
      @made[0]
    end

    def to_s = name.to_s

    %i[debug info notice warning err].each { |level| define_method(level) { |*_| nil } }
  end

  class Property < Parameter
    class << self
      def defaultvalues; end
    end

    def match_all? = self.class.array_matching == :all

    def made
      Reading.refuse(@trouble) if @trouble
      @made ||= (@raw.is_a?(Array) ? @raw : [@raw]).map { |v| munge(v) }
    end

    def should = match_all? ? made.map { |v| unmunge(v) } : unmunge(made[0])
    def value = should

    class Ensure < Property
      def self.defaultvalues
        newvalue(:present)
        newvalue(:absent)
        define_method(:default) { @resource.managed? ? :present : nil }
      end
    end

    class Boolean < Property
      def unsafe_munge(value) = Puppet::Coercion.boolean(value)
    end

    class List < Property
      def self.initvars = self.array_matching = :all
      def membership = :membership
      def delimiter = ','
      def should = made.join(delimiter)
    end

    class OrderedList < List; end

    class KeyValue < Property; end
  end

  class Parameter
    class Boolean < Parameter
      def self.initvars = newvalues(*Puppet::Coercion.boolean_values)
      def unsafe_munge(value) = Puppet::Coercion.boolean(value)
    end

    class Path < Parameter
      class << self
        def accept_arrays(*_) = nil
        def arrays? = false
      end
    end
  end

  class Type
    TYPES = {}

    class << self
      attr_reader :name, :properties, :relations
      attr_accessor :self_refresh, :depthfirst, :doc, :type_notes

      # Puppet::Type.newtype, .type: the registry.
      def newtype(name, options = {}, &block)
        name = name.to_sym
        k = Class.new(Puppet::Type)
        Puppet::Type.const_set(name.to_s.capitalize, k)
        k.begin(name)
        Reading.enter(name.to_s, k)
        TYPES[name] = k
        options.each { |key, v| k.instance_variable_set("@#{key}", v) if key.is_a?(Symbol) }
        Reading.body(k, block) if block
        k.ensurable if %i[exists? create destroy].all? { |m| k.method_defined?(m) } && !k.validproperty?(:ensure)
        k.providify unless k.registered? || Reading.providers(name.to_s).empty?
        k
      end

      # By the Resource API, whose providers are no Puppet::Provider.
      def registered? = !!@registered

      def type(name) = TYPES[name] ||= Reading.type(name.to_s.downcase)

      def begin(name)
        @name = name
        @parameters = []
        @properties = []
        @index = {}
        @relations = { require: {}, subscribe: {}, before: {}, notify: {} }
      end

      # One of Puppet's own types, from the table.
      def table(name, properties, parameters, namevars)
        k = Class.new(Puppet::Type)
        Puppet::Type.const_set(name.capitalize, k)
        k.begin(name.to_sym)
        properties.each { |n, values| k.newproperty(n.to_sym).newvalues(*values) }
        parameters.each { |n, values| k.newparam(n.to_sym, namevar: namevars.include?(n)).newvalues(*values) }
        k
      end

      def attribute(name, parent, prefix, block)
        c = Class.new(parent)
        const_set(prefix + name.to_s.capitalize, c)
        c.begin(name, self)
        yield c if block_given?
        Reading.body(c, block) if block
        c
      end

      def newparam(name, options = {}, &block)
        name = name.to_sym
        c = attribute(name, options[:parent] || Puppet::Parameter, 'Parameter', block)
        @parameters.reject! { |p| p.name == name }
        @parameters << c
        @index[name] = c
        question(name) if options[:boolean]
        c.isnamevar if options[:namevar]
        c
      end

      def newproperty(name, options = {}, &block)
        name = name.to_sym
        raise Puppet::DevError, "Class #{self.name} already has a property named #{name}" if validproperty?(name)
        c = attribute(name, options[:parent] || Puppet::Property, '', block) do |k|
          k.array_matching = options[:array_matching] if options[:array_matching]
        end
        name == :ensure ? @properties.unshift(c) : @properties << c
        @index[name] ||= c
        c
      end

      def question(name)
        define_method("#{name}?") { [true, :true].include?(self[name]) }
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Puppet::Property::Ensure, &(block || proc { defaultvalues }))
      end

      def providify
        newparam(:provider) unless validparameter?(:provider)
      end

      def provide(name, *_)
        providify
      end

      def parameters = @parameters.map(&:name)
      def parameter_classes = @parameters
      def paramclass(name) = @parameters.find { |p| p.name == name.to_sym }
      def propertybyname(name) = @properties.find { |p| p.name == name.to_sym }
      def attrclass(name) = @index[name]
      def validproperties = @properties.map(&:name)
      def validproperty?(name) = !propertybyname(name).nil?
      def validparameter?(name) = !paramclass(name).nil?
      def validattr?(name) = name.to_sym == :name || validproperty?(name) || validparameter?(name) || Puppet::Type.metaparam?(name)
      def valid_parameter?(name) = validattr?(name)
      def metaparams = Reading.metaparams.map(&:to_sym)
      def metaparam?(name) = metaparams.include?(name.to_sym)
      def key_attributes = @parameters.select { |p| p.isnamevar? || p.name == :name }.map(&:name)
      def allattrs
        return @allattrs if @allattrs && @allattrs.length == @index.length
        @allattrs = key_attributes | (parameters & [:provider]) | validproperties | parameters
      end

      # The attributes that have a value without being given one.
      def defaults = @defaults ||= allattrs.select { |name| @index[name].method_defined?(:default) }
      def isomorphic? = @isomorphic.nil? ? true : @isomorphic

      def title_patterns
        case key_attributes.length
        when 0 then []
        when 1 then [[/(.*)/m, [[key_attributes.first]]]]
        else raise Puppet::DevError, 'you must specify title patterns when there are two or more key attributes'
        end
      end

      def autorequire(type, &block) = relations[:require][type] = block
      def autosubscribe(type, &block) = relations[:subscribe][type] = block
      def autobefore(type, &block) = relations[:before][type] = block
      def autonotify(type, &block) = relations[:notify][type] = block

      # What is for the agent.
      def desc(*_) = nil
      def feature(*_) = nil
      def has_features(*_) = nil
      def validate(&block) = define_method(:validate, &block)
      def apply_to_device = nil
      def apply_to_host = nil
      def apply_to_all = nil

      # For the reader.
      def steady?(name, given)
        c = @index[name]
        c.nil? || !c.munges? && (given || !c.method_defined?(:default))
      end

      def description
        {
          properties: properties.map { |p| [p.name, p.declared_values] },
          parameters: parameter_classes.map { |p| [p.name, p.declared_values] },
          namevars: key_attributes,
          isomorphic: isomorphic? ? true : false,
          refreshable: method_defined?(:refresh),
          self_refresh: @self_refresh ? true : false
        }
      end

      def related
        %i[require subscribe before notify].flat_map { |k| relations[k].map { |type, block| [k, type, block] } }
      end
    end

    attr_reader :catalog, :parameters

    def title
      Reading.read(self, 'title')
      @title
    end

    # A resource: its attributes as the catalog has them, with what its title gives and the defaults.
    def initialize(resource)
      @title = resource.title
      @catalog = resource.catalog
      @parameters = {}
      resource.to_hash.each { |name, value| self[name] = value }
      self.class.defaults.each { |name| set_default(name) unless @parameters.key?(name) }
    end

    def set_default(name)
      p = newattr(name)
      v, trouble = Reading.attempt { p.default }
      if trouble
        p.trouble = "the default of #{name} (#{trouble})"
      else
        v ? p.value = v : @parameters.delete(name)
      end
    end

    def newattr(name)
      c = self.class.attrclass(name) || Puppet::Parameter::Meta
      @parameters[name] ||= c.new(resource: self)
    end

    def []=(name, value)
      newattr(key(name)).value = value
    end

    def [](name)
      name = key(name)
      Reading.read(self, name.to_s)
      p = @parameters[name]
      return p.value if p
      return default_provider if name == :provider
      raise Puppet::Error, "Invalid parameter #{name}(#{name.inspect})" unless self.class.validattr?(name)
    end

    def key(name)
      name = name.to_sym
      keys = self.class.key_attributes
      name == :name && keys.length == 1 ? keys.first : name
    end

    def value(name)
      name = name.to_sym
      Reading.read(self, name.to_s)
      p = @parameters[name]
      return p.value if p
      default_provider if name == :provider
    end

    alias should value

    # Which provider suits is known on the machine; unless there is but one.
    def default_provider
      names = Reading.providers(self.class.name.to_s)
      names.length < 2 ? names.first&.to_sym : Reading.refuse('the default provider')
    end

    def parameter(name) = @parameters[name.to_sym]
    def property(name) = @parameters[name.to_sym]
    def propertydefined?(name) = @parameters.key?(name.to_sym)
    def delete(name) = @parameters.delete(name.to_sym)
    def name = self[:name]
    def type = self.class.name
    def managed? = @parameters.values.any? { |p| p.is_a?(Puppet::Property) }
    def provider = Reading.refuse('a provider')
    def ref = Reading.reference(self.class.name.to_s, @title)
    def to_s = ref
    def to_hash = @parameters.transform_values(&:value)
    def noop? = false
    def retrieve = Reading.refuse('the state of the machine')
    def fail(*args) = raise(Puppet::Error, args.last.to_s)
    def devfail(text) = raise(Puppet::DevError, text)

    %i[debug info notice warning err].each { |level| define_method(level) { |*_| nil } }

    class Component < Type
      self.begin(:component)
      newparam(:name, namevar: true)
    end
  end

  class Parameter
    class Meta < Parameter
      self.begin(:meta, nil)
      def munge(value) = value
    end
  end

  # A resource of the catalog before it becomes a Puppet::Type.
  class Resource
    attr_reader :type, :title, :catalog, :to_hash

    def initialize(type, title, hash, catalog)
      @type = type
      @title = title
      @to_hash = hash
      @catalog = catalog
    end

    class Catalog
      def initialize(all)
        @all = all
      end

      def resource(type, title = nil) = Reading.find(@all, type.to_s, title)
      def resources = Reading.resources(@all)
      def resource_refs = Reading.refs(@all)
    end
  end

  # The Resource API: a type is a hash.
  module ResourceApi
    def self.register_type(definition)
      Puppet::Type.newtype(definition[:name]) do
        @registered = true
        unknown = Array(definition[:features]).include?('custom_insync') && definition[:attributes].values.all? { |o| o.key?(:behaviour) }
        newproperty(:rsapi_custom_insync_trigger) if unknown
        definition[:attributes].each do |name, options|
          kind = %i[parameter namevar read_only].include?(options[:behaviour]) ? :newparam : :newproperty
          c = send(kind, name)
          c.isnamevar if options[:behaviour] == :namevar
          c.array_matching = :all if kind == :newproperty
          c.defaultto(options[:default]) if options.key?(:default) && options[:behaviour] != :read_only
          c.newvalues(*ResourceApi.values(options[:type].to_s))
        end
        define_singleton_method(:title_patterns) do
          if definition.key?(:title_patterns)
            definition[:title_patterns].map { |p| [p[:pattern], p[:pattern].names.map { |n| [n.to_sym] }] }
          else
            [[/(.*)/m, [[key_attributes.first]]]]
          end
        end
        %i[autorequire autosubscribe autobefore autonotify].each do |kind|
          (definition[kind] || {}).each do |type, wanted|
            send(kind, type.downcase.to_sym) do
              [wanted].flatten.map { |v| v.is_a?(String) && v.start_with?('$') ? self[v[1..-1]] : v }.flatten.compact
            end
          end
        end
      end
    end

    # The values that an attribute's data type allows, as far as they are hints.
    def self.values(type)
      return %w[absent present] if type == 'Enum[present, absent]'
      case type.sub(/\AOptional\[(.*)\]\z/, '\1')
      when 'Boolean' then %w[true false]
      when /\AString\b/ then [//]
      when /\AInteger\b/ then [/^-?\d+$/]
      else []
      end
    end

    # Transports are no types.
    def self.register_transport(*_) = nil
  end
end

# The part of Pathname that works on names alone.
class Pathname
  attr_reader :to_s

  def initialize(path)
    @to_s = path.to_s
  end

  def to_path = to_s
  def to_str = to_s
  def inspect = "#<Pathname:#{self}>"
  def ==(other) = other.is_a?(Pathname) && to_s == other.to_s
  def absolute? = to_s.start_with?('/')
  def relative? = !absolute?
  def root? = !to_s.empty? && to_s.delete('/').empty?
  def basename(*suffix) = Pathname.new(File.basename(to_s, *suffix))
  def dirname = Pathname.new(File.dirname(to_s))
  def extname = File.extname(to_s)
  def parent = self + '..'
  def cleanpath = Pathname.new(absolute? ? File.expand_path(to_s) : Reading.refuse('a relative path'))
  def join(*parts) = parts.inject(self) { |path, p| path + p }

  def +(other)
    other = other.to_s
    return Pathname.new(other) if other.start_with?('/')
    return other == '..' ? dirname : self if %w[.. .].include?(other) && absolute?
    Pathname.new(File.join(to_s, other))
  end

  alias / +

  def ascend
    list = []
    path = to_s
    until path == '.' || list.last == path
      list << path
      path = File.dirname(path)
    end
    list.map! { |p| Pathname.new(p) }
    block_given? ? list.each { |p| yield p } : list.each
  end

  def descend(&block) = ascend.to_a.reverse.each(&block)

  %i[exist? file? directory? read children entries realpath].each do |name|
    define_method(name) { |*_| Reading.refuse("reading files (Pathname##{name})") }
  end
end
