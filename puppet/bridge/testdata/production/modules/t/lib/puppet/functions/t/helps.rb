require 'puppet/util'
require_relative '../../../puppet_x/t/helper'

Puppet::Functions.create_function(:'t::helps') do
  def helps(what, *args)
    case what
    when 'double' then PuppetX::T::Helper.double(*args)
    when 'absolute' then Puppet::Util.absolute_path?(*args)
    when 'windows' then Puppet::Util.absolute_path?(args[0], :windows)
    when 'version' then Puppet::Util::Package.versioncmp(*args)
    when 'rand' then Puppet::Util.deterministic_rand(*args)
    when 'rand_int' then Puppet::Util.deterministic_rand_int(*args)
    when 'title' then Puppet::Resource.type_and_title(*args, nil)
    when 'module' then (m = Puppet::Module.find(args[0], closure_scope.environment)) && [m.name, File.basename(m.path)]
    when 'setting' then Puppet[args[0].to_sym].inspect
    when 'instance' then Puppet::Pops::Types::TypeCalculator.instance?(*args)
    when 'infer' then Puppet::Pops::Types::TypeCalculator.infer(*args).to_s
    when 'infer_set' then Puppet::Pops::Types::TypeCalculator.infer_set(*args).to_s
    when 'parse' then Puppet::Pops::Types::TypeParser.singleton.parse(args[0]).instance?(args[1])
    when 'parsed' then Puppet::Pops::Types::TypeParser.singleton.parse(args[0])
    when 'assignable' then args[0].assignable?(args[1])
    when 'describe' then Puppet::Pops::Types::TypeMismatchDescriber.singleton.describe_mismatch('it', args[0], Puppet::Pops::Types::TypeCalculator.infer_set(args[1]))
    when 'assert' then Puppet::Pops::Types::TypeAsserter.assert_instance_of('the subject', args[0], args[1])
    when 'iterate' then Puppet::Pops::Types::Iterable.asserted_iterable(self, args[0]).map { |x| x }
    when 'wrap' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(args[0])
    when 'unwrap' then args[0].unwrap
    when 'binary' then Puppet::Pops::Types::PBinaryType::Binary.from_string(args[0])
    when 'kind' then args[0].is_a?(Puppet::Pops::Types::PAnyType) ? [args[0].to_s, args[0].is_a?(Puppet::Pops::Types::PClassType), args[0].is_a?(Puppet::Pops::Types::PResourceType)] : args[0].class.name
    when 'seconds' then args[0].to_i
    when 'older' then args[0] < args[1]
    when 'match' then args[0].match(args[1]) && $~[0]
    when 'symbols' then { :default => 1 }.keys
    when 'undefs' then [nil, :default]
    when 'data' then Puppet::Pops::Serialization::ToDataConverter.convert(args[0], rich_data: true)
    when 'regexp' then Regexp.new(args[0])
    when 'semver' then SemanticPuppet::Version.parse(args[0])
    end
  end
end
