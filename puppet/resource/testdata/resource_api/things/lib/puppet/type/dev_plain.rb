require 'puppet/resource_api'
Puppet::ResourceApi.register_type(name: 'dev_plain', desc: 'x', features: ['custom_insync'], attributes: { id: { type: 'String', desc: 'i', behaviour: :namevar }, on: { type: 'Boolean', desc: 'b', behaviour: :parameter } })
