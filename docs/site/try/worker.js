// Ends the worker: the package for npm is before it. Files of the package come from the page, because a worker may load nothing.
const files = new Map();
configure({ read: (name) => new Promise((resolve, reject) => { files.set(name, { resolve, reject }); postMessage({ read: name }); }) });

onmessage = async ({ data: { id, call, args, name, bytes, error } }) => {
  if (name) {
    if (bytes) files.get(name).resolve(bytes); else files.get(name).reject(new Error(error));
    return;
  }
  let told = 0;
  const progress = (phase, done, total) => { if (performance.now() - told > 100) { told = performance.now(); postMessage({ id, progress: { phase, done, total } }); } };
  try {
    const result = await (call === 'compare' ? compare(...args) : dedupFile(args[0], { ...args[1], progress }));
    postMessage({ id, result });
  } catch (e) { postMessage({ id, error: e.message }); }
};
