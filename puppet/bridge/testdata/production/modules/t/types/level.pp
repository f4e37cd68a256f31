type T::Level = Enum['low', 'high']
