class m::private { assert_private() }
