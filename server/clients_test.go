package server

import (
	"fmt"
	"testing"
)

// A client is an IPv4 address, or the /64 of an IPv6 address: one customer has at least that.
func TestAddress(t *testing.T) {
	for _, test := range []struct{ remote, want string }{
		{"192.0.2.1:80", "192.0.2.1"},
		{"192.0.2.2:80", "192.0.2.2"},
		{"[::ffff:192.0.2.1]:80", "192.0.2.1"},
		{"[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2:ffff::1]:443", "2001:db8:1:2::/64"},
		{"[2001:db8:1:3::1]:80", "2001:db8:1:3::/64"},
		{"[fe80::1%eth0]:80", "fe80::/64"},
		{"[::1]:80", "::/64"},
		{"name:80", "name"},
		{"@", "@"},
	} {
		if got := address(test.remote); got != test.want {
			t.Errorf("%s: %s, want %s", test.remote, got, test.want)
		}
	}
}

// Of more clients than are remembered none is forgotten that has a request in flight, or it
// could have as many again. The idle ones go first if their whole allowance is there.
func TestClientsInFlightStay(t *testing.T) {
	cs := &clients{limits: Limits{Rate: 1e-9, Burst: 2, PerClient: 1}, known: map[string]*client{}}
	enter := func(name string, spend int) *client {
		c, ok := cs.enter(name)
		if !ok || !c.spend(spend) {
			t.Fatalf("%s is refused", name)
		}
		return c
	}
	enter("in flight", 0)
	enter("in flight, spent", 2)
	for i := range maxClients - 2 {
		enter(fmt.Sprint(i), i%2).inFlight.Add(-1) // every other one has spent something
	}
	enter("one more", 0)
	if cs.known["0"] != nil || cs.known["1"] == nil {
		t.Error("an idle client with its whole allowance stays, or one without it is forgotten")
	}
	for i := range 2 * maxClients { // all have spent something
		enter(fmt.Sprint("later ", i), 1).inFlight.Add(-1)
	}
	for _, name := range []string{"in flight", "in flight, spent", "one more"} {
		if _, ok := cs.enter(name); ok {
			t.Errorf("%q was forgotten", name)
		}
	}
	if n := len(cs.known); n > maxClients {
		t.Errorf("%d clients are remembered", n)
	}
}
