// Kubernetes, etcd and what makes volumes as one program, which runs the part that its first argument names. The parts
// share nearly all of their code, so that one program takes a third of the time to build and of the
// memory to run.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"agent-workspace.dev/cluster/kubernetes/volumes"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// A part runs until it ends and returns the exit code.
type part func() int

func command(build func() *cobra.Command) part {
	return func() int { return cli.Run(build()) }
}

var parts = map[string]part{
	"etcd": func() int {
		etcdmain.Main(os.Args)
		return 0
	},
	"kube-apiserver":          command(apiserver.NewAPIServerCommand),
	"kube-controller-manager": command(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          command(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubelet":                 command(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	"volumes":                 func() int { return volumes.Run(os.Args[1:]) },
}

func main() {
	if len(os.Args) > 1 {
		if run, known := parts[os.Args[1]]; known {
			os.Args = os.Args[1:]
			os.Exit(run())
		}
	}
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: %s PART [ARGUMENT...], with PART one of %s\n", os.Args[0], strings.Join(names, ", "))
	os.Exit(2)
}
