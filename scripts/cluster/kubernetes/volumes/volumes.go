// Package volumes makes and removes the persistent volumes of a cluster of one node. Each is a folder of
// the kind "local", to which a kubelet applies a Pod's fsGroup, as it does to the volumes of real clusters.
// To those of the kind "hostPath", which Kubernetes could make by itself, it does not, and a Pod that does
// not run as root could not write to them.
package volumes

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	provisioner = "agent-workspace.dev/folder"

	// Set on a claim by the controller manager once it is somebody's turn to make its volume.
	annotationProvisioner = "volume.kubernetes.io/storage-provisioner"
	// Tells the controller manager that it is not its own business to remove the volume.
	annotationProvisionedBy = "pv.kubernetes.io/provisioned-by"
)

type controller struct {
	client    kubernetes.Interface
	directory string
	node      string
}

// An item of the queue: the work is done again later if it failed.
type item struct {
	namespace string // of a claim; a volume has none
	name      string
}

// Run makes and removes volumes until the process is ended.
func Run(arguments []string) int {
	flags := flag.NewFlagSet("volumes", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of the kubeconfig")
	directory := flags.String("directory", "", "folder in which each volume is one")
	node := flags.String("node", "", "name of the node that has the folder")
	if flags.Parse(arguments) != nil {
		return 2
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c := &controller{client: kubernetes.NewForConfigOrDie(config), directory: *directory, node: *node}
	c.run(context.Background())
	return 0
}

func (c *controller) run(ctx context.Context) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[item](50*time.Millisecond, 10*time.Second))
	enqueue := func(object any) {
		if accessor, ok := object.(meta.Object); ok {
			queue.Add(item{namespace: accessor.GetNamespace(), name: accessor.GetName()})
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
	}
	factory := informers.NewSharedInformerFactory(c.client, 0)
	factory.Core().V1().PersistentVolumeClaims().Informer().AddEventHandler(handler)
	factory.Core().V1().PersistentVolumes().Informer().AddEventHandler(handler)
	factory.Start(ctx.Done())
	for {
		next, _ := queue.Get()
		if err := c.attend(ctx, next); err != nil {
			klog.ErrorS(err, "Will try again", "namespace", next.namespace, "name", next.name)
			queue.AddRateLimited(next)
		} else {
			queue.Forget(next)
		}
		queue.Done(next)
	}
}

func (c *controller) attend(ctx context.Context, next item) error {
	var err error
	if next.namespace == "" {
		err = c.attendVolume(ctx, next.name)
	} else {
		err = c.attendClaim(ctx, next)
	}
	if errors.IsNotFound(err) {
		return nil
	}
	return err
}

// Makes the volume of a claim that waits for one.
func (c *controller) attendClaim(ctx context.Context, next item) error {
	claim, err := c.client.CoreV1().PersistentVolumeClaims(next.namespace).Get(ctx, next.name, meta.GetOptions{})
	if err != nil {
		return err
	}
	if claim.Annotations[annotationProvisioner] != provisioner || claim.Spec.VolumeName != "" || claim.DeletionTimestamp != nil {
		return nil
	}
	class, err := c.client.StorageV1().StorageClasses().Get(ctx, *claim.Spec.StorageClassName, meta.GetOptions{})
	if err != nil {
		return err
	}
	name := "pvc-" + string(claim.UID)
	path := filepath.Join(c.directory, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	volume := &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name, Annotations: map[string]string{annotationProvisionedBy: provisioner}},
		Spec: core.PersistentVolumeSpec{
			AccessModes:                   claim.Spec.AccessModes,
			Capacity:                      core.ResourceList{core.ResourceStorage: claim.Spec.Resources.Requests[core.ResourceStorage]},
			ClaimRef:                      &core.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeReclaimPolicy: *class.ReclaimPolicy,
			PersistentVolumeSource:        core.PersistentVolumeSource{Local: &core.LocalVolumeSource{Path: path}},
			StorageClassName:              class.Name,
			VolumeMode:                    claim.Spec.VolumeMode,
			NodeAffinity:                  c.onNode(),
		},
	}
	if _, err := c.client.CoreV1().PersistentVolumes().Create(ctx, volume, meta.CreateOptions{}); !errors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

func (c *controller) onNode() *core.VolumeNodeAffinity {
	here := core.NodeSelectorRequirement{Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{c.node}}
	terms := []core.NodeSelectorTerm{{MatchExpressions: []core.NodeSelectorRequirement{here}}}
	return &core.VolumeNodeAffinity{Required: &core.NodeSelector{NodeSelectorTerms: terms}}
}

// Removes a volume whose claim is gone.
func (c *controller) attendVolume(ctx context.Context, name string) error {
	volume, err := c.client.CoreV1().PersistentVolumes().Get(ctx, name, meta.GetOptions{})
	if err != nil {
		return err
	}
	isOurs := volume.Annotations[annotationProvisionedBy] == provisioner && volume.DeletionTimestamp == nil
	isToGo := volume.Status.Phase == core.VolumeReleased && volume.Spec.PersistentVolumeReclaimPolicy == core.PersistentVolumeReclaimDelete
	if !isOurs || !isToGo {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(c.directory, volume.Name)); err != nil {
		return err
	}
	return c.client.CoreV1().PersistentVolumes().Delete(ctx, name, meta.DeleteOptions{})
}
