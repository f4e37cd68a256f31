package model_test

import "testing"

func TestOOPSLATable(t *testing.T) { checkTable(t, "oopsla/bugs.txt") }

// Bar: of the bugs of public modules in the study of infrastructure as code by Drosos, Sotiropoulos, Alexopoulos,
// Mitropoulos and Su (OOPSLA 2024) whose symptom shows in a catalog or a run, and that a real agent shows, at least
// 12 are found, and none is called proved.
func TestAcceptOOPSLA(t *testing.T) {
	acceptFaults(t, "OOPSLA'24", "oopsla/bugs.txt", 12)
}
