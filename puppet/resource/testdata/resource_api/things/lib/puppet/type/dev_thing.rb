require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'dev_thing',
  docs: 'A thing.',
  features: ['canonicalize'],
  title_patterns: [
    { pattern: %r{^(?<package>.*[^-])-(?<manager>.*)$}, desc: 'both' },
    { pattern: %r{^(?<package>.*)$}, desc: 'one' },
  ],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'x', default: 'present' },
    package: { type: 'String', desc: 'x', behaviour: :namevar },
    manager: { type: 'String', desc: 'x', behaviour: :namevar },
    force: { type: 'Optional[Boolean]', desc: 'x', behaviour: :parameter },
    serial: { type: 'Optional[Integer]', desc: 'x', behaviour: :read_only },
    size: { type: 'Optional[Integer]', desc: 'x' },
    made: { type: 'Optional[String]', desc: 'x', behaviour: :init_only },
  },
  autorequire: { file: '$made', package: 'things' },
)
