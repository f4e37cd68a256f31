# Small libraries that classes are made with: forwardable, singleton, delegate.

module Forwardable
  def def_delegator(accessor, method, name = method)
    accessor = accessor.to_s
    define_method(name) do |*args, **more, &block|
      target = accessor.start_with?('@') ? instance_variable_get(accessor) : send(accessor)
      target.public_send(method, *args, **more, &block)
    end
    name
  end
  alias def_instance_delegator def_delegator

  def def_delegators(accessor, *methods) = methods.each { |m| def_delegator(accessor, m) }
  alias def_instance_delegators def_delegators

  def delegate(hash) = hash.each { |methods, accessor| Array(methods).each { |m| def_delegator(accessor, m) } }
  alias instance_delegate delegate
end

module Singleton
  def self.included(base)
    base.define_singleton_method(:instance) { @singleton__instance__ ||= new }
  end
end

# Hands on what it does not know.
class Delegator
  def initialize(object) = __setobj__(object)
  def method_missing(name, *args, &block) = __getobj__.respond_to?(name) ? __getobj__.public_send(name, *args, &block) : super
  def respond_to_missing?(name, all = false) = __getobj__.respond_to?(name, all)
  def ==(other) = other.equal?(self) || __getobj__ == other
  def to_s = __getobj__.to_s
  def inspect = __getobj__.inspect
end

class SimpleDelegator < Delegator
  def __getobj__ = @delegate_sd_obj

  def __setobj__(object)
    @delegate_sd_obj = object
  end
end

module Timeout
  class Error < RuntimeError; end

  def self.timeout(*) = yield
end

module Benchmark
  def self.measure(*) = Bunraku.refuse('the clock (Benchmark)')
  def self.realtime = Bunraku.refuse('the clock (Benchmark)')
end
