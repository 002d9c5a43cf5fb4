package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/server/v3/embed"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// A realServer is an apiextensions-apiserver with its etcd, in this process. Both listen on 127.0.0.1 only.
type realServer struct {
	client *http.Client
	base   string // the URL
	stop   func() error
}

// startReal starts a server with a new, empty etcd in dir.
func startReal(dir string) (*realServer, error) {
	klog.SetLogger(logr.Discard())
	etcd, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	s, err := startExtensions(filepath.Join(dir, "certificates"), etcd.Clients[0].Addr().String())
	if err != nil {
		etcd.Close()
		return nil, fmt.Errorf("apiextensions-apiserver: %w", err)
	}
	stop := s.stop
	s.stop = func() error {
		err := stop()
		etcd.Close()
		return err
	}
	return s, nil
}

func startEtcd(dir string) (*embed.Etcd, error) {
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = dir, "fatal", []string{os.DevNull}
	c.UnsafeNoFsync = true // the data is thrown away
	anyPort := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{anyPort}, []url.URL{anyPort}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{anyPort}, []url.URL{anyPort}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	e, err := embed.StartEtcd(c)
	if err != nil {
		return nil, err
	}
	select {
	case <-e.Server.ReadyNotify():
		return e, nil
	case err = <-e.Err():
	case <-time.After(time.Minute):
		err = errors.New("does not become ready")
	}
	e.Close()
	return nil, err
}

// startExtensions starts an apiextensions-apiserver without authentication, authorization and admission, none of which
// is compared.
func startExtensions(certificates, etcd string) (*realServer, error) {
	o := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	recommended := o.RecommendedOptions
	recommended.Etcd.StorageConfig.Transport.ServerList = []string{"http://" + etcd}
	recommended.Etcd.StorageConfig.Prefix = "/registry" // a kube-apiserver's, for the keys in its error messages
	recommended.Authentication, recommended.Authorization, recommended.Admission, recommended.CoreAPI = nil, nil, nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	serving := recommended.SecureServing
	serving.Listener, serving.BindPort, serving.BindAddress = l, l.Addr().(*net.TCPAddr).Port, net.IPv4(127, 0, 0, 1)
	serving.ExternalAddress, serving.ServerCert.CertDirectory = serving.BindAddress, certificates
	if err := errors.Join(o.APIEnablement.RuntimeConfig.Set("api/all=true"), o.Complete(), o.Validate()); err != nil {
		return nil, err
	}
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{serving.BindAddress}); err != nil {
		return nil, err
	}
	config := genericapiserver.NewRecommendedConfig(extensions.Codecs)
	if err := errors.Join(o.ServerRunOptions.ApplyTo(&config.Config), recommended.ApplyTo(config)); err != nil {
		return nil, err
	}
	if err := o.APIEnablement.ApplyTo(&config.Config, extensions.DefaultAPIResourceConfigSource(), extensions.Scheme); err != nil {
		return nil, err
	}
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(generated.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(extensions.Scheme))
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(generated.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(extensions.Scheme))
	config.SkipOpenAPIInstallation = true // publishing takes most of the time of a new definition, and is not compared
	all := &extensions.Config{GenericConfig: config, ExtraConfig: extensions.ExtraConfig{
		CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*recommended.Etcd, config.ResourceTransformers, config.StorageObjectCountTracker),
		MasterCount:          1,
		ServiceResolver:      webhook.NewDefaultServiceResolver(),
		AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, nooptrace.NewTracerProvider()),
	}}
	s, err := all.Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.GenericAPIServer.PrepareRun().RunWithContext(ctx) }()
	transport, err := transportTo(s.GenericAPIServer.LoopbackClientConfig)
	if err != nil {
		cancel()
		return nil, errors.Join(err, <-ended)
	}
	real := &realServer{
		client: &http.Client{Transport: transport, Timeout: 2 * time.Minute}, base: "https://" + l.Addr().String(),
		stop: func() error { cancel(); return <-ended },
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answer, err := real.client.Get(real.base + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return real, nil
			}
		}
		select {
		case err := <-ended:
			cancel()
			return nil, fmt.Errorf("ended: %w", err)
		default:
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(errors.New("does not become ready"), err, real.stop())
		}
	}
}

// transportTo returns a transport that trusts the server's certificate.
func transportTo(c *rest.Config) (http.RoundTripper, error) {
	config, err := rest.TLSConfigFor(c)
	if err != nil {
		return nil, err
	}
	if config == nil {
		config = &tls.Config{}
	}
	return &http.Transport{TLSClientConfig: config, MaxIdleConnsPerHost: 16}, nil
}
