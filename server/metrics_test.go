package server_test

import (
	"net/http"
	"testing"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

func TestMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	f := start(t, func(c *server.Config) { c.Metrics = registry })
	in := f.client("news", server.Submit)
	must[api.Answer](t)(in.Submit(t.Context(), article("a", story(1)), ""))
	must[api.Answer](t)(in.Submit(t.Context(), article("b", story(1)+"more"), ""))
	if _, err := in.Submit(t.Context(), article("b", "another"), ""); err == nil {
		t.Error("a nid was taken twice")
	}
	f.send(f.request(http.MethodGet, "/v1/stats", "", ""))
	got := map[string]float64{}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			got[family.GetName()+labels(m)] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]float64{
		"neardup_decisions_total decision=new stage=none tenant=news":          1,
		"neardup_decisions_total decision=duplicate stage=content tenant=news": 1,
		"neardup_undecided_total reason=nid_taken":                             1,
		"neardup_refused_total reason=role":                                    1,
		"neardup_decision_seconds":                                             2,
		"neardup_candidates":                                                   2,
		"neardup_request_seconds route=POST /v1/articles status=200":           2,
		"neardup_request_seconds route=POST /v1/articles status=409":           1,
		"neardup_articles tenant=news":                                         2,
		"neardup_docids tenant=news":                                           1,
		"neardup_in_flight":                                                    0,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
}

func labels(m *dto.Metric) string {
	s := ""
	for _, l := range m.Label {
		s += " " + l.GetName() + "=" + l.GetValue()
	}
	return s
}
