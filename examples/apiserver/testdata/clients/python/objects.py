"""The life of definitions and objects with the client library for Python.

Ends with an error if the server answers otherwise than a Kubernetes API server.
"""

import json
import sys
import threading
import time

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()
definitions, custom = client.ApiextensionsV1Api(), client.CustomObjectsApi()
NAMESPACE = "shop"
KITES = ("sky.example.com", "v1", NAMESPACE, "kites")


def equal(got, want):
    if got != want:
        sys.exit(f"line {sys._getframe(1).f_lineno}: {got!r} is not {want!r}")


def refused(code, call, *args, **kwargs):
    """Returns the Status of a refusal, or its text."""
    try:
        call(*args, **kwargs)
    except ApiException as err:
        if err.status != code:
            sys.exit(f"line {sys._getframe(1).f_lineno}: {err}")
        return json.loads(err.body) if err.body.startswith("{") else err.body
    sys.exit(f"line {sys._getframe(1).f_lineno}: not refused with {code}")


def until(what, condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"not in time: {what}")


def kite(name, **spec):
    return {"apiVersion": "sky.example.com/v1", "kind": "Kite", "metadata": {"name": name}, "spec": spec}


equal(client.VersionApi().get_code().major, "1")
core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))

# A definition, sent without apiVersion and kind, as typed clients do.
props = client.V1JSONSchemaProps
schema = props(type="object", properties={
    "spec": props(type="object", required=["colour"], properties={
        "colour": props(type="string", max_length=10),
        "tails": props(type="integer", minimum=0, default=1)}),
    "status": props(type="object", properties={"flies": props(type="boolean")})})
definitions.create_custom_resource_definition(client.V1CustomResourceDefinition(
    metadata=client.V1ObjectMeta(name="kites.sky.example.com"),
    spec=client.V1CustomResourceDefinitionSpec(
        group="sky.example.com", scope="Namespaced",
        names=client.V1CustomResourceDefinitionNames(kind="Kite", plural="kites"),
        versions=[client.V1CustomResourceDefinitionVersion(
            name="v1", served=True, storage=True, schema=client.V1CustomResourceValidation(open_apiv3_schema=schema),
            subresources=client.V1CustomResourceSubresources(status={}))])))


def established():
    status = definitions.read_custom_resource_definition("kites.sky.example.com").status
    return any(c.type == "Established" and c.status == "True" for c in (status and status.conditions) or [])


until("Established", established)

# A watch from now on, in a thread of its own.
start = custom.list_namespaced_custom_object(*KITES)["metadata"]["resourceVersion"]
events = []


def follow():
    for event in watch.Watch().stream(custom.list_namespaced_custom_object, *KITES, resource_version=start, timeout_seconds=60):
        events.append((event["type"], event["object"]["metadata"]["name"]))
        if len(events) == 5:
            return


follower = threading.Thread(target=follow, daemon=True)
follower.start()

# Custom objects.
red = custom.create_namespaced_custom_object(*KITES, kite("red", colour="red", size=3))
equal(red["spec"], {"colour": "red", "tails": 1})
equal(refused(409, custom.create_namespaced_custom_object, *KITES, kite("red", colour="red"))["reason"], "AlreadyExists")
equal(refused(422, custom.create_namespaced_custom_object, *KITES, kite("none"))["details"]["causes"],
      [{"reason": "FieldValueRequired", "message": "Required value", "field": "spec.colour"}])
equal(refused(400, custom.create_namespaced_custom_object, *KITES, {"spec": {"colour": "red"}})["reason"], "BadRequest")
custom.api_client.set_default_header("Accept", "application/json")
patched = custom.patch_namespaced_custom_object(*KITES, "red", {"spec": {"tails": 2}})
equal((patched["spec"]["tails"], patched["metadata"]["generation"]), (2, 2))
stale = dict(patched, metadata=dict(patched["metadata"], resourceVersion=red["metadata"]["resourceVersion"]))
equal(refused(409, custom.replace_namespaced_custom_object, *KITES, "red", stale)["reason"], "Conflict")
flies = custom.patch_namespaced_custom_object_status(*KITES, "red", {"spec": {"tails": 9}, "status": {"flies": True}})
equal((flies["status"], flies["spec"]["tails"], flies["metadata"]["generation"]), ({"flies": True}, 2, 2))

# The dynamic client finds resources by discovery.
kites = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="sky.example.com/v1", kind="Kite")
equal(kites.create(body=kite("blue", colour="blue"), namespace=NAMESPACE).spec.tails, 1)
equal([k.metadata.name for k in kites.get(namespace=NAMESPACE).items], ["blue", "red"])
equal(kites.delete(name="blue", namespace=NAMESPACE).status, "Success")
follower.join(15)
equal(events, [("ADDED", "red"), ("MODIFIED", "red"), ("MODIFIED", "red"), ("ADDED", "blue"), ("DELETED", "blue")])

# Built-in kinds, from models and from documents.
utils.create_from_dict(client.ApiClient(), {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "flyer"},
    "spec": {"selector": {"matchLabels": {"app": "flyer"}},
             "template": {"metadata": {"labels": {"app": "flyer"}}, "spec": {"containers": [{"name": "c", "image": "flyer:1"}]}}}},
    namespace=NAMESPACE)
deployment = apps.read_namespaced_deployment("flyer", NAMESPACE)
equal((deployment.spec.replicas, deployment.spec.template.spec.containers[0].image_pull_policy), (1, "IfNotPresent"))
deployment = apps.patch_namespaced_deployment("flyer", NAMESPACE, {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "flyer:2"}]}}}})
equal([c.image for c in deployment.spec.template.spec.containers], ["flyer:2"])
equal(apps.patch_namespaced_deployment_scale("flyer", NAMESPACE, {"spec": {"replicas": 4}}).spec.replicas, 4)
core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="colours"), data={"a": "red"}))
colours = core.patch_namespaced_config_map("colours", NAMESPACE, [{"op": "add", "path": "/data/b", "value": "blue"}])
equal(colours.data, {"a": "red", "b": "blue"})
pod = core.create_namespaced_pod(NAMESPACE, client.V1Pod(
    metadata=client.V1ObjectMeta(generate_name="p-"), spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="flyer")])))
equal((pod.status.phase, pod.spec.restart_policy, pod.spec.containers[0].image_pull_policy), ("Pending", "Always", "Always"))
core.create_namespaced_pod_binding(pod.metadata.name, NAMESPACE, client.V1Binding(
    metadata=client.V1ObjectMeta(name=pod.metadata.name), target=client.V1ObjectReference(kind="Node", name="n")), _preload_content=False)
equal(core.read_namespaced_pod(pod.metadata.name, NAMESPACE).spec.node_name, "n")
review = client.AuthorizationV1Api().create_self_subject_access_review(client.V1SelfSubjectAccessReview(
    spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=client.V1ResourceAttributes(verb="get", resource="pods"))))
equal(review.status.allowed, True)
core.delete_collection_namespaced_config_map(NAMESPACE)
equal(core.list_namespaced_config_map(NAMESPACE).items, [])

# The end.
definitions.delete_custom_resource_definition("kites.sky.example.com")
until("the definition is gone", lambda: not definitions.list_custom_resource_definition().items)
equal(refused(404, custom.list_namespaced_custom_object, *KITES).strip(), "404 page not found")
core.delete_namespace(NAMESPACE)
print("ok")
