// Renders deploy/helm with what Helm is made of: Go's templates and the functions of sprig. Of Helm's own functions it has
// those that the chart uses. Arguments: the folder of the chart, and a file of values that replace those of the chart.
//
// Needs Debian's packages golang-go and golang-github-masterminds-sprig-dev:
// GO111MODULE=off GOPATH=/usr/share/gocode go run test/docs/RenderChart.go deploy/helm
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string, into interface{}) {
	text, err := os.ReadFile(path)
	check(err)
	check(yaml.Unmarshal(text, into))
}

func merge(values, others map[string]interface{}) {
	for key, other := range others {
		held, isMap := values[key].(map[string]interface{})
		if inner, isAlso := other.(map[string]interface{}); isMap && isAlso {
			merge(held, inner)
		} else {
			values[key] = other
		}
	}
}

func main() {
	folder := os.Args[1]
	var chart struct {
		Name       string `yaml:"name"`
		Version    string `yaml:"version"`
		AppVersion string `yaml:"appVersion"`
	}
	values := map[string]interface{}{}
	read(filepath.Join(folder, "Chart.yaml"), &chart)
	read(filepath.Join(folder, "values.yaml"), &values)
	if len(os.Args) > 2 {
		others := map[string]interface{}{}
		read(os.Args[2], &others)
		merge(values, others)
	}
	// A value that is missing is an error, as with `helm lint --strict`.
	all := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	all.Funcs(functions)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	data := map[string]interface{}{
		"Chart":   chart,
		"Release": map[string]interface{}{"Name": "trial", "Namespace": "default", "Service": "Helm"},
		"Values":  values,
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		fmt.Printf("---\n# %s\n", name)
		check(all.ExecuteTemplate(os.Stdout, name, data))
		fmt.Println()
	}
}
