class m::inner { include m::private }
