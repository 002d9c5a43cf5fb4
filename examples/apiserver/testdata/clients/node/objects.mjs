// The life of definitions and objects with the client library for JavaScript. Ends with an error if the server answers
// otherwise than a Kubernetes API server.
import assert from 'node:assert/strict'
import * as k8s from '@kubernetes/client-node'

const config = new k8s.KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(k8s.CoreV1Api)
const apps = config.makeApiClient(k8s.AppsV1Api)
const definitions = config.makeApiClient(k8s.ApiextensionsV1Api)
const custom = config.makeApiClient(k8s.CustomObjectsApi)
const anyKind = k8s.KubernetesObjectApi.makeApiClient(config)
const as = (type) => k8s.setHeaderOptions('Content-Type', type)
const namespace = 'shop'
const kites = { group: 'sky.example.com', version: 'v1', plural: 'kites' }
const inShop = { ...kites, namespace }

// refused returns the Status of a refusal, or its text.
async function refused(code, call) {
  try {
    await call
  } catch (err) {
    assert.equal(err.code, code, err.message)
    return err.body.startsWith('{') ? JSON.parse(err.body) : err.body
  }
  assert.fail(`not refused with ${code}`)
}

async function until(what, condition) {
  for (let i = 0; i < 200; i++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail(`not in time: ${what}`)
}

// The server and its resources.
const version = await config.makeApiClient(k8s.VersionApi).getCode()
assert.equal(version.major, '1')
const groups = await config.makeApiClient(k8s.ApisApi).getAPIVersions()
assert.ok(groups.groups.some((g) => g.name === 'apiextensions.k8s.io'))
await core.createNamespace({ body: { metadata: { name: namespace, labels: { team: 'a' } } } })

// A definition, sent without apiVersion and kind, as typed clients do.
const created = await definitions.createCustomResourceDefinition({
  body: {
    metadata: { name: 'kites.sky.example.com' },
    spec: {
      group: kites.group,
      scope: 'Namespaced',
      names: { kind: 'Kite', plural: 'kites', shortNames: ['kt'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.tails', statusReplicasPath: '.status.tails' } },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['colour'],
                  properties: {
                    colour: { type: 'string', maxLength: 10 },
                    tails: { type: 'integer', minimum: 0, _default: 1 },
                    since: { type: 'string', format: 'date-time' },
                  },
                },
                status: { type: 'object', properties: { tails: { type: 'integer' }, flies: { type: 'boolean' } } },
              },
            },
          },
        },
      ],
    },
  },
})
assert.equal(created.spec.names.listKind, 'KiteList')
await until('Established', async () => {
  const d = await definitions.readCustomResourceDefinition({ name: 'kites.sky.example.com' })
  return d.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True')
})

// Custom objects.
const red = { apiVersion: 'sky.example.com/v1', kind: 'Kite', metadata: { name: 'red' }, spec: { colour: 'red', size: 3 } }
let object = await custom.createNamespacedCustomObject({ ...inShop, body: red })
assert.deepEqual(object.spec, { colour: 'red', tails: 1 })
assert.equal(object.metadata.generation, 1)
let status = await refused(409, custom.createNamespacedCustomObject({ ...inShop, body: red }))
assert.equal(status.reason, 'AlreadyExists')
status = await refused(422, custom.createNamespacedCustomObject({
  ...inShop, body: { ...red, metadata: { name: 'long' }, spec: { colour: 'more than ten' } },
}))
assert.equal(status.message, 'Kite.sky.example.com "long" is invalid: spec.colour: Too long: may not be more than 10 bytes')
status = await refused(404, custom.getNamespacedCustomObject({ ...inShop, name: 'blue' }))
assert.deepEqual(status.details, { name: 'blue', group: 'sky.example.com', kind: 'kites' })

object = await custom.patchNamespacedCustomObject(
  { ...inShop, name: 'red', body: { spec: { tails: 2 } } }, as(k8s.PatchStrategy.MergePatch))
assert.equal(object.metadata.generation, 2)
object = await custom.patchNamespacedCustomObject(
  { ...inShop, name: 'red', body: [{ op: 'replace', path: '/spec/tails', value: 3 }] }, as(k8s.PatchStrategy.JsonPatch))
assert.equal(object.spec.tails, 3)
status = await refused(415, custom.patchNamespacedCustomObject(
  { ...inShop, name: 'red', body: { spec: { tails: 2 } } }, as(k8s.PatchStrategy.StrategicMergePatch)))
assert.equal(status.reason, 'UnsupportedMediaType')
const old = object.metadata.resourceVersion
object.spec.colour = 'crimson'
object = await custom.replaceNamespacedCustomObject({ ...inShop, name: 'red', body: object })
status = await refused(409, custom.replaceNamespacedCustomObject(
  { ...inShop, name: 'red', body: { ...object, metadata: { ...object.metadata, resourceVersion: old } } }))
assert.equal(status.reason, 'Conflict')
object = await custom.patchNamespacedCustomObjectStatus(
  { ...inShop, name: 'red', body: { spec: { colour: 'no' }, status: { flies: true, tails: 3 } } }, as(k8s.PatchStrategy.MergePatch))
assert.deepEqual([object.spec.colour, object.status.flies, object.metadata.generation], ['crimson', true, 4])
const scale = await custom.getNamespacedCustomObjectScale({ ...inShop, name: 'red' })
assert.deepEqual([scale.kind, scale.spec.replicas, scale.status.replicas], ['Scale', 3, 3])
await custom.createNamespacedCustomObject({ ...inShop, body: { ...red, metadata: { name: 'blue', labels: { high: 'yes' } } } })
const list = await custom.listNamespacedCustomObject({ ...inShop, labelSelector: 'high=yes' })
assert.deepEqual(list.items.map((o) => o.metadata.name), ['blue'])
const page = await custom.listNamespacedCustomObject({ ...inShop, limit: 1 })
assert.equal(page.items.length, 1)
assert.equal(page.metadata.remainingItemCount, 1)
const rest = await custom.listNamespacedCustomObject({ ...inShop, limit: 1, _continue: page.metadata._continue ?? page.metadata.continue })
assert.deepEqual([page.items[0].metadata.name, rest.items[0].metadata.name], ['blue', 'red'])
const all = await custom.listCustomObjectForAllNamespaces({ ...kites, resourcePlural: kites.plural })
assert.equal(all.items.length, 2)

// Server-side apply, with a client that finds the resource of a kind by discovery.
const applied = await anyKind.patch(
  { apiVersion: 'sky.example.com/v1', kind: 'Kite', metadata: { name: 'green', namespace }, spec: { colour: 'green' } },
  undefined, undefined, 'me', undefined, k8s.PatchStrategy.ServerSideApply)
assert.deepEqual(applied.metadata.managedFields.map((m) => [m.manager, m.operation]), [['me', 'Apply']])
status = await refused(409, anyKind.patch(
  { apiVersion: 'sky.example.com/v1', kind: 'Kite', metadata: { name: 'green', namespace }, spec: { colour: 'lime' } },
  undefined, undefined, 'you', undefined, k8s.PatchStrategy.ServerSideApply))
assert.equal(status.message, 'Apply failed with 1 conflict: conflict with "me": .spec.colour')
assert.equal((await anyKind.read({ apiVersion: 'sky.example.com/v1', kind: 'Kite', metadata: { name: 'green', namespace } })).spec.colour, 'green')
assert.equal((await anyKind.list('sky.example.com/v1', 'Kite', namespace)).items.length, 3)

// A watch, and an informer on top of it.
const seen = []
const informer = k8s.makeInformer(config, `/apis/sky.example.com/v1/namespaces/${namespace}/kites`,
  () => custom.listNamespacedCustomObject(inShop))
for (const verb of ['add', 'update', 'delete']) informer.on(verb, (o) => seen.push(`${verb} ${o.metadata.name}`))
informer.on('error', (err) => { if (err.type !== 'aborted') throw err })
await informer.start()
await until('the first objects', () => seen.length === 3)
await custom.patchNamespacedCustomObject({ ...inShop, name: 'blue', body: { spec: { tails: 5 } } }, as(k8s.PatchStrategy.MergePatch))
await custom.deleteNamespacedCustomObject({ ...inShop, name: 'blue' })
await until('a change and a deletion', () => seen.length === 5)
assert.deepEqual(seen.slice(3), ['update blue', 'delete blue'])
await informer.stop()

// Built-in kinds, also without apiVersion and kind, and with defaults.
await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'colours' }, data: { a: 'red' } } })
const map = await core.patchNamespacedConfigMap(
  { namespace, name: 'colours', body: { data: { b: 'blue' } } }, as(k8s.PatchStrategy.StrategicMergePatch))
assert.deepEqual(map.data, { a: 'red', b: 'blue' })
const container = { name: 'c', image: 'flyer:1', ports: [{ containerPort: 80 }] }
let deployment = await apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: { name: 'flyer' },
    spec: { selector: { matchLabels: { app: 'flyer' } }, template: { metadata: { labels: { app: 'flyer' } }, spec: { containers: [container] } } },
  },
})
assert.equal(deployment.spec.replicas, 1)
assert.equal(deployment.spec.template.spec.containers[0].ports[0].protocol, 'TCP')
assert.equal(deployment.spec.strategy.rollingUpdate.maxSurge, '25%')
deployment = await apps.patchNamespacedDeployment(
  { namespace, name: 'flyer', body: { spec: { template: { spec: { containers: [{ name: 'c', image: 'flyer:2' }] } } } } },
  as(k8s.PatchStrategy.StrategicMergePatch))
assert.equal(deployment.spec.template.spec.containers.length, 1)
assert.deepEqual(deployment.spec.template.spec.containers[0].ports.map((p) => p.containerPort), [80])
status = await refused(422, apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: { name: 'other' },
    spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'y' } }, spec: { containers: [container] } } },
  },
}))
assert.match(status.message, /`selector` does not match template `labels`/)
await core.createNamespacedSecret({ namespace, body: { metadata: { name: 'key' }, stringData: { k: 'v' } } })
const secret = await core.readNamespacedSecret({ namespace, name: 'key' })
assert.deepEqual([secret.type, Buffer.from(secret.data.k, 'base64').toString()], ['Opaque', 'v'])
assert.equal((await core.listNamespacedPod({ namespace })).items.length, 0)

// Access.
const review = await config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview(
  { body: { spec: { resourceAttributes: { group: 'sky.example.com', resource: 'kites', verb: 'get', namespace } } } })
assert.equal(review.status.allowed, true)

// The end: deleting a definition deletes its objects, and deleting a namespace deletes what is in it.
await definitions.deleteCustomResourceDefinition({ name: 'kites.sky.example.com' })
await until('the definition is gone', async () => (await definitions.listCustomResourceDefinition()).items.length === 0)
assert.equal((await refused(404, custom.listNamespacedCustomObject(inShop))).trim(), '404 page not found')
await core.deleteNamespace({ name: namespace })
console.log('ok')
