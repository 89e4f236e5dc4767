//go:build full

package main

// service and operating are the commands of the service.
var (
	service = []verbSpec{
		{"serve", "", serve{}},
		{"add", "INPUT...", add{}},
		{"check", "...", check{}},
		{"consume", "", consume{}},
		{"export", "", export{}},
		{"correct", "NID", correct{}},
		{"rulings", "", rulings{}},
		{"mcp", "", mcpVerb{}},
	}
	operating = []verbSpec{
		{"backup", "NAME of the backup", backup{}},
		{"log", "a command, begin, adopt or leave", nil},
		{"log begin", "", logBegin{}},
		{"log adopt", "", logAdopt{}},
		{"log leave", "", logLeave{}},
		{"rebuild", "", again{}},
		{"token", "", token{}},
	}
)
