# What the functions of this module share.
module PuppetX
  module T
    module Helper
      def self.double(x) = x * 2
    end
  end
end
