# A file mode as chmod takes it.
type Profile::Mode = Pattern[/\A[0-7]{4}\z/]
